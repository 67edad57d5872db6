import { spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'

/** A program of the machine. */
export type Program = {
  readonly name: string
  /** The environment variable with its path. */
  readonly variable: string
  /** Its Debian packages. */
  readonly debian: readonly string[]
  readonly paths: readonly string[]
  /** Installed even if the machine has another of the paths. */
  readonly best?: string
}

const program = (name: string, debian: readonly string[], ...paths: readonly string[]): Program => ({
  name,
  variable: name.replaceAll('-', '_').toUpperCase(),
  debian,
  paths: paths.length > 0 ? paths : [`/usr/bin/${name}`, `/usr/sbin/${name}`],
})

/** It has no windows and no address bar: the specs of the dashboard need half of the CPU time of a whole Chromium. */
const HEADLESS_SHELL = '/usr/bin/chromium-headless-shell'

/** The programs of `npm test`. */
export const programs = {
  chromium: {
    ...program(
      'chromium',
      ['chromium-headless-shell'],
      HEADLESS_SHELL,
      '/usr/bin/chromium',
      '/usr/bin/chromium-browser',
      '/usr/bin/google-chrome',
      '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
      '/Applications/Chromium.app/Contents/MacOS/Chromium',
      'C:\\Program Files\\Google\\Chrome\\Application\\chrome.exe',
      'C:\\Program Files (x86)\\Microsoft\\Edge\\Application\\msedge.exe',
    ),
    best: HEADLESS_SHELL,
  },
  haproxy: program(
    'haproxy',
    ['haproxy'],
    '/usr/sbin/haproxy',
    '/usr/local/sbin/haproxy',
    '/opt/homebrew/bin/haproxy',
  ),
  promtool: program(
    'promtool',
    ['prometheus'],
    '/usr/bin/promtool',
    '/usr/local/bin/promtool',
    '/opt/homebrew/bin/promtool',
  ),
} as const

/** The programs that only the long run uses. */
export const longPrograms = {
  firefox: program(
    'firefox',
    ['firefox-esr'],
    '/usr/bin/firefox-esr',
    '/usr/bin/firefox',
    '/Applications/Firefox.app/Contents/MacOS/firefox',
    'C:\\Program Files\\Mozilla Firefox\\firefox.exe',
  ),
  patroni: program('patroni', ['patroni']),
  patronictl: program('patronictl', ['patroni']),
  etcd: program('etcd', ['etcd-server']),
  buildah: program('buildah', ['buildah']),
  // The network of compose needs a name server.
  podman: program('podman', ['podman', 'aardvark-dns', 'netavark']),
  runc: program('runc', ['runc']),
  podmanCompose: program('podman-compose', ['podman-compose']),
  iptables: program('iptables', ['iptables']),
  debootstrap: program('debootstrap', ['debootstrap']),
} as const

const find = ({ variable, paths }: Program): string | undefined =>
  [process.env[variable], ...paths].find((path) => path !== undefined && existsSync(path))

/** The path of a program on this machine. */
export function pathOf(wanted: Program): string {
  const path = find(wanted) ?? (installMissing([wanted]) ? find(wanted) : undefined)
  if (path !== undefined) return path
  const { name, variable, debian } = wanted
  throw new Error(
    `no ${name} on this machine: install it (Debian: apt-get install ${debian.join(' ')}), or set ${variable}=PATH`,
  )
}

/** On Debian, root installs what is missing. The runner does it once, before the specs that run beside each other. */
export function installMissing(wanted: readonly Program[]): boolean {
  const missing = wanted.filter((one) => !hasBest(one)).flatMap(({ debian }) => debian)
  return missing.length === 0 || install(...new Set(missing))
}

const hasBest = ({ best, ...program }: Program): boolean =>
  find(best === undefined ? program : { ...program, paths: [best] }) !== undefined

/** Installs Debian packages. A list of packages may be missing or older than the mirror: then it is read again. */
export function install(...packages: readonly string[]): boolean {
  if (process.platform !== 'linux' || process.getuid?.() !== 0) return false
  if (spawnSync('which', ['apt-get']).status !== 0) return false
  const run = (...line: readonly string[]): boolean => {
    const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' }
    // Another run may be installing packages too.
    const waiting = ['-o', 'DPkg::Lock::Timeout=600', '-qq']
    return spawnSync('apt-get', [...waiting, ...line], { env, stdio: 'ignore' }).status === 0
  }
  const all = ['install', '-y', ...packages]
  return run(...all) || (run('update') && run(...all))
}

/** A Python of this machine with these modules of Debian. On Debian, root installs missing ones. */
export function pythonWith(modules: readonly string[]): string {
  const has = (python: string) =>
    spawnSync(python, ['-c', `import ${modules.join(', ')}`], { stdio: 'ignore' }).status === 0
  const find = () =>
    [process.env['PYTHON'], '/usr/bin/python3', 'python3', 'python'].find(
      (python) => python !== undefined && has(python),
    )
  const packages = modules.map((name) => `python3-${name}`)
  const found = find() ?? (install(...packages) ? find() : undefined)
  if (found !== undefined) return found
  throw new Error(
    `no Python with ${modules.join(' and ')}: install them (Debian: apt-get install ${packages.join(' ')}), or set PYTHON=PATH`,
  )
}
