tools/bin/python synchronize.py
