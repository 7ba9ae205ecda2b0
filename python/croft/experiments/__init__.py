"""The papers' tables and figures, each as an experiment that can be repeated."""
