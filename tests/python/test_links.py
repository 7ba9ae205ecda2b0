"""How long each link of the meshes was busy: `croft run --links`."""

import croft

ARGUMENTS = ("--count", "50")


def test_links_add_up_to_their_mesh_and_change_nothing():
    plain = croft.run("pingpong", "tilepro64", arguments=ARGUMENTS)
    watched = croft.run("pingpong", "tilepro64", arguments=ARGUMENTS, links=True)
    without = [each for each in watched.statistics if each.part != "link"]
    assert without == plain.statistics
    assert not any(each.part == "link" for each in plain.statistics)
    for mesh in ("coherence", "memory", "user"):
        assert watched.total("link", f"{mesh}_busy") == watched.total(f"{mesh}_mesh", "busy")
    assert watched.total("link", "coherence_busy") > 0


def test_links_over_time_add_up_too():
    watched = croft.run("pingpong", "tilepro64", arguments=ARGUMENTS, links=True, interval=10_000)
    frame = watched.intervals
    links = frame[frame["part"] == "link"]
    assert links["interval"].nunique() > 1
    grown = links[links["name"] == "coherence_busy"]["value"].sum()
    whole = frame[(frame["part"] == "coherence_mesh") & (frame["name"] == "busy")]["value"].sum()
    assert grown == whole
