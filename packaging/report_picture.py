"""Writes a picture of a report: report_picture.py out/report.html docs/images/report.png [HEIGHT] (needs Chromium)."""

import sys
import time
from pathlib import Path

from PIL import Image
from selenium import webdriver

WIDTH = 1100
FLAGS = ("--headless", "--no-sandbox", "--disable-gpu", "--no-first-run", "--disable-background-networking")


def main(page: Path, target: Path, height: str = "1250") -> None:
    options = webdriver.ChromeOptions()
    for flag in FLAGS:
        options.add_argument(flag)
    browser = webdriver.Chrome(options, webdriver.ChromeService("/usr/bin/chromedriver"))
    browser.set_window_size(WIDTH, int(height))
    browser.get(page.resolve().as_uri())
    while not browser.execute_script("return document.body.dataset.drawn"):
        time.sleep(0.1)
    time.sleep(1)
    browser.save_screenshot(str(target))
    browser.quit()
    Image.open(target).convert("RGB").quantize(64).save(target, optimize=True)


main(Path(sys.argv[1]), Path(sys.argv[2]), *sys.argv[3:])
