python3 -m venv tools
tools/bin/pip install --quiet --disable-pip-version-check --requirement requirements.txt
tools/bin/mypy --strict receiver.py
