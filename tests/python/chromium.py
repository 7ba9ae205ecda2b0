"""Chromium without a window, for tests of pages."""

import shutil
import time

import pytest

CHROMIUM, DRIVER = shutil.which("chromium"), shutil.which("chromedriver")
FLAGS = (
    *("--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run"),
    *("--disable-background-networking", "--disable-component-update", "--disable-sync"),
)


def chromium(folder):
    """A browser, whose ``folder`` is its own, and which whoever asked for it has to quit."""
    if not CHROMIUM or not DRIVER:
        pytest.skip("Chromium and its driver are not installed (apt-get install chromium chromium-driver)")
    from selenium import webdriver

    options = webdriver.ChromeOptions()
    for flag in (*FLAGS, f"--user-data-dir={folder}"):
        options.add_argument(flag)
    options.binary_location = CHROMIUM
    options.set_capability("goog:loggingPrefs", {"browser": "ALL", "performance": "ALL"})
    return webdriver.Chrome(options, webdriver.ChromeService(DRIVER))


def wait_until(browser, script):
    """Waits until the page's ``script`` returns something true, and returns that."""
    until = time.monotonic() + 60
    while not (answer := browser.execute_script(script)):
        assert time.monotonic() < until, browser.get_log("browser")
        time.sleep(0.05)
    return answer
