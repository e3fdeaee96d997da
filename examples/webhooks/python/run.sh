exec tools/bin/python receiver.py
