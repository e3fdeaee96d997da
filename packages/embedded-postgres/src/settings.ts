/** The arguments of the server: built-in settings for a small machine, replaced by those of the operator. */
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
  // An acknowledged write survives a power failure.
  synchronous_commit: 'on',
  jit: 'off',
  min_wal_size: '80MB',
  max_wal_size: '512MB',
  // The shared memory of a container is small (64 MB), and systemd removes that of a user at logout: use files instead.
  dynamic_shared_memory_type: 'mmap',
  timezone: 'UTC',
  log_timezone: 'UTC',
  log_checkpoints: 'off',
}

const fixed = (socketDirectory: string) => ({
  listen_addresses: '',
  port: '5432',
  unix_socket_permissions: '0700',
  // The value is a list: a path with a comma or a space must be quoted.
  unix_socket_directories: `"${socketDirectory.replaceAll('"', '""')}"`,
})
