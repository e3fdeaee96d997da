// What clients do that send strange bytes, or leave early. A start takes longer than most of these tests, so they share a
// server. The first ones look at what it has counted.
await import('./one-server/one-connection.ts')
await import('./one-server/connections.ts')
await import('./one-server/bodies.ts')
await import('./one-server/half-open.ts')
await import('./one-server/http.ts')
