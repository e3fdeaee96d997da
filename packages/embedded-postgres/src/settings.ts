/** The arguments of the server: built-in settings suited to a small machine, replaced by the operator's. */
export function serverArguments(
  cluster: string,
  socketDirectory: string,
  settings: Record<string, string> = {},
): string[] {
  const all = { ...builtIn, ...settings, ...fixed(socketDirectory) }
  return ['-D', cluster, ...Object.entries(all).flatMap(([name, value]) => ['-c', `${name}=${value}`])]
}

const builtIn = {
  shared_buffers: '128MB',
  max_connections: '60',
  max_locks_per_transaction: '256',
  // An answered write survives a power cut.
  synchronous_commit: 'on',
  jit: 'off',
  min_wal_size: '80MB',
  max_wal_size: '512MB',
  // Shared memory of a container is small (64 MB), and systemd removes a user's at logout: use files instead.
  dynamic_shared_memory_type: 'mmap',
  timezone: 'UTC',
  log_timezone: 'UTC',
  log_checkpoints: 'off',
}

const fixed = (socketDirectory: string) => ({
  listen_addresses: '',
  port: '5432',
  unix_socket_permissions: '0700',
  // A list: in quotes, a comma or a space is part of the path.
  unix_socket_directories: `"${socketDirectory.replaceAll('"', '""')}"`,
})
