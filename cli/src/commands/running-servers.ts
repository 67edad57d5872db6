import { createHash } from 'node:crypto'
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { homedir } from 'node:os'
import { join } from 'node:path'
import { readServerFile, type ServerFile } from '@quipu/broker/data-folder/owner-file.ts'
import { errorCode } from '@quipu/core/values'

/** A server of this user on this machine. */
export type RunningServer = ServerFile & { readonly folder: string }

type Environment = Readonly<Record<string, string | undefined>>

/** Records that a server runs on a data folder, so that commands find it from any folder. */
export function registerServer(env: Environment, folder: string): void {
  // A user without a writable home folder must set --data.
  attempt(() => {
    const registry = registryOf(env)
    mkdirSync(registry, { recursive: true, mode: 0o700 })
    writeFileSync(join(registry, entryOf(folder)), folder, { mode: 0o600 })
  })
}

export function unregisterServer(env: Environment, folder: string): void {
  attempt(() => rmSync(join(registryOf(env), entryOf(folder)), { force: true }))
}

/** The running servers of this user, by data folder. Removes entries of servers that crashed. */
export function runningServers(env: Environment): readonly RunningServer[] {
  const registry = attempt(() => registryOf(env))
  const entries = (registry !== undefined && attempt(() => readdirSync(registry))) || []
  return entries
    .flatMap((entry) => {
      const path = join(registry!, entry)
      const folder = attempt(() => readFileSync(path, 'utf8')) ?? ''
      const server = attempt(() => readServerFile(folder))
      if (server && isAlive(server.pid)) return [{ folder, ...server }]
      attempt(() => rmSync(path, { force: true }))
      return []
    })
    .sort((a, b) => (a.folder < b.folder ? -1 : 1))
}

export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    return errorCode(error) === 'EPERM'
  }
}

/** The state folder of the XDG Base Directory Specification. */
export const stateFolder = (env: Environment): string =>
  join(env['XDG_STATE_HOME'] || join(homedir(), '.local', 'state'), 'quipu')

const registryOf = (env: Environment): string => join(stateFolder(env), 'servers')

const entryOf = (folder: string): string => createHash('sha256').update(folder).digest('hex').slice(0, 32)

function attempt<Value>(work: () => Value): Value | undefined {
  try {
    return work()
  } catch {
    return undefined
  }
}
