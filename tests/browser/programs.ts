import { spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'

type Program = {
  readonly name: string
  /** The environment variable with its path. */
  readonly variable: string
  /** Its Debian package. */
  readonly debian: string
  readonly paths: readonly string[]
}

export const chromiumProgram: Program = {
  name: 'Chromium',
  variable: 'CHROMIUM',
  // Without windows and an address bar a context costs half of the CPU time.
  debian: 'chromium-headless-shell',
  paths: [
    '/usr/bin/chromium-headless-shell',
    '/usr/bin/chromium',
    '/usr/bin/chromium-browser',
    '/usr/bin/google-chrome',
    '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
    '/Applications/Chromium.app/Contents/MacOS/Chromium',
    'C:\\Program Files\\Google\\Chrome\\Application\\chrome.exe',
    'C:\\Program Files (x86)\\Microsoft\\Edge\\Application\\msedge.exe',
  ],
}

export const firefoxProgram: Program = {
  name: 'Firefox',
  variable: 'FIREFOX',
  debian: 'firefox-esr',
  paths: [
    '/usr/bin/firefox-esr',
    '/usr/bin/firefox',
    '/Applications/Firefox.app/Contents/MacOS/firefox',
    'C:\\Program Files\\Mozilla Firefox\\firefox.exe',
  ],
}

/** The path of a program on this machine. On Debian, root installs a missing one. */
export function pathOf({ name, variable, debian, paths }: Program): string {
  const find = () => [process.env[variable], ...paths].find((path) => path !== undefined && existsSync(path))
  const path = find() ?? (install(debian) ? find() : undefined)
  if (path === undefined)
    throw new Error(
      `no ${name} on this machine: install it (Debian: apt-get install ${debian}), or set ${variable}=PATH`,
    )
  return path
}

export function install(debian: string): boolean {
  if (process.platform !== 'linux' || process.getuid?.() !== 0) return false
  if (spawnSync('which', ['apt-get']).status !== 0) return false
  const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' }
  return spawnSync('apt-get', ['install', '-y', '-qq', debian], { env, stdio: 'ignore' }).status === 0
}
