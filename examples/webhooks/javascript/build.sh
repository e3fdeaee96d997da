npm install --no-audit --no-fund --loglevel=error
