npx tsx synchronize.ts
