import { spawnSync } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { isOfficial, officialHosts } from './hosts.ts'

/** `--hosts` does not work on this machine. The message names the setting that allows it. */
export class HostsRefused extends Error {
  override readonly name = 'HostsRefused'
}

/** The loopback addresses for the listener of --hosts. Another run may use the first ones. */
export const hostsAddresses: readonly string[] = Array.from(
  { length: 16 },
  (_, index) => `127.77.7.${index + 7}`,
)
export const HOSTS_PORT = 443

/** Settings that forbid namespaces of users: the file, the value that forbids, and how to allow them. */
const forbidding: readonly (readonly [string, string, string])[] = [
  ['/proc/sys/user/max_user_namespaces', '0', 'user.max_user_namespaces=1000'],
  ['/proc/sys/kernel/unprivileged_userns_clone', '0', 'kernel.unprivileged_userns_clone=1'],
  [
    '/proc/sys/kernel/apparmor_restrict_unprivileged_userns',
    '1',
    'kernel.apparmor_restrict_unprivileged_userns=0',
  ],
]

/** Throws HostsRefused where a program cannot have its own /etc/hosts. */
export function checkNamespaces(): void {
  if (process.platform !== 'linux')
    throw new HostsRefused('--hosts needs Linux; see docs/guides/run.md for a hosts file')
  const { error, status, stderr } = spawnSync('unshare', [...namespaces(), '--', 'true'], {
    encoding: 'utf8',
  })
  if (status === 0) return
  if (error) throw new HostsRefused('--hosts needs the command unshare of util-linux')
  const setting = forbidding.find(([file, value]) => textOf(file).trim() === value)?.[2]
  throw new HostsRefused(
    setting
      ? `--hosts needs namespaces of users, which this machine forbids: allow them with \`sysctl ${setting}\``
      : `--hosts needs the right to create namespaces, such as CAP_SYS_ADMIN in a container: ${stderr.trim()}`,
  )
}

/** The sentence for an error of the listener of --hosts. */
export const listenRefusal = ({ code, message }: NodeJS.ErrnoException): HostsRefused =>
  new HostsRefused(
    code === 'EACCES'
      ? `--hosts needs to listen on port ${HOSTS_PORT}: allow it with \`sysctl net.ipv4.ip_unprivileged_port_start=${HOSTS_PORT}\``
      : `--hosts cannot listen on port ${HOSTS_PORT} of ${hostsAddresses[0]}: ${message}`,
  )

/** Writes the hosts file of the program: that of the machine, with the official hosts at the listener. */
export function writeHosts(file: string, address: string): void {
  const others = textOf('/etc/hosts')
    .split('\n')
    .filter((line) => !line.replace(/#.*/, '').trim().split(/\s+/).slice(1).some(isOfficial))
  writeFileSync(file, [`${address} ${officialHosts.join(' ')}`, ...others].join('\n'), { mode: 0o644 })
}

/** The command that runs a program with this file as /etc/hosts. The program has its own user id and process id. */
export function withHosts(file: string, command: readonly string[]): readonly string[] {
  const [user, group] = [process.getuid?.() ?? 0, process.getgid?.() ?? 0]
  const asUser = user === 0 ? [] : ['unshare', '--user', `--map-user=${user}`, `--map-group=${group}`, '--']
  const script = 'mount --bind "$0" /etc/hosts && exec "$@"'
  return ['unshare', ...namespaces(), '--', 'sh', '-c', script, file, ...asUser, ...command]
}

/** Root needs no namespace of users, and keeps its rights without one. */
const namespaces = (): readonly string[] =>
  process.getuid?.() === 0 ? ['--mount'] : ['--user', '--map-root-user', '--mount']

function textOf(file: string): string {
  try {
    return readFileSync(file, 'utf8')
  } catch {
    return ''
  }
}
