python3 -m venv tools
tools/bin/pip install --quiet --disable-pip-version-check --requirement requirements.txt
PATH=$PWD/tools/bin:$PATH
openapi-python-client generate --path ../openapi.json --config openapi-python-client.yaml --output-path client --fail-on-warning
pip install --quiet --disable-pip-version-check ./client
MYPYPATH=client mypy --strict --disable-error-code redundant-cast synchronize.py client/crm
