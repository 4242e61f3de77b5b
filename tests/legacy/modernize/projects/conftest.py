# Old projects, with tests of their own, which test_modernize_projects.py runs.
collect_ignore_glob = ["*"]
