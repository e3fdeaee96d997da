npm install --no-audit --no-fund --loglevel=error
npx openapi-ts --input ../openapi.json --output crm
npx tsc
