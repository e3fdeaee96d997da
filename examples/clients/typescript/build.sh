npm install --no-audit --no-fund --loglevel=error
npx openapi-typescript ../openapi.json --output crm.ts
npx tsc
