import { type ChildProcess, execFile, execFileSync, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { chownSync, existsSync, globSync, mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { promisify } from 'node:util'
import { connect } from '../connection.ts'
import { freePort } from './free-port.ts'

// A real PostgreSQL server in a temporary folder, deleted when the test process ends.

/** A standby that was killed replays its log since the last checkpoint first. */
const READY_MS = 120_000
const READY_PAUSE_MS = 50

/** The durability settings keep their defaults, so that tests use PostgreSQL as shipped. */
const settings = [
  '-c',
  'listen_addresses=127.0.0.1',
  '-c',
  'max_connections=200',
  '-c',
  'logging_collector=off',
]

type ServerOptions = { readonly files?: Readonly<Record<string, string>>; readonly more?: readonly string[] }

export class Cluster {
  readonly #folder: string
  readonly #port: number
  readonly #more: readonly string[]
  #server: ChildProcess | undefined
  #users = 1
  static #common: Promise<Cluster> | undefined

  private constructor(folder: string, port: number, more: readonly string[] = []) {
    this.#folder = folder
    this.#port = port
    this.#more = more
    process.once('exit', this.#onExit)
  }

  /** With files for its folder and more settings, such as those of TLS. */
  static async start({ files = {}, more = [] }: ServerOptions = {}): Promise<Cluster> {
    const folder = newFolder()
    fill(folder)
    for (const [name, text] of Object.entries(files)) {
      const path = join(folder, name)
      writeFileSync(path, text, { mode: 0o600 })
      if (owner) chownSync(path, owner.uid, owner.gid)
    }
    const cluster = new Cluster(folder, await freePort(), more)
    await cluster.start()
    return cluster
  }

  /** One server for the specs of a process that only use their own databases. It stops when all of them have stopped it. */
  static async common(): Promise<Cluster> {
    const isFirst = Cluster.#common === undefined
    Cluster.#common ??= Cluster.start()
    const cluster = await Cluster.#common
    if (!isFirst) cluster.#users++
    return cluster
  }

  /** The server does not check the password; tests check that no message contains it. */
  url(database = 'postgres'): string {
    return `postgres://quipu:hunter2@127.0.0.1:${this.#port}/${database}`
  }

  /** Creates a database. */
  async database(name: string): Promise<string> {
    await this.run(`CREATE DATABASE ${name}`)
    return this.url(name)
  }

  /** Starts the server and resolves when it accepts connections. */
  async start(): Promise<void> {
    for (const startMs = performance.now(); ; ) {
      if (!this.#isRunning) this.#spawn()
      const connection = await connect(this.url()).catch((error) => {
        if (performance.now() - startMs > READY_MS) throw error
      })
      if (connection) return connection.end()
      await sleep(READY_PAUSE_MS)
    }
  }

  /** Starts a standby of this server. From now on, a commit here waits for the standby. */
  async startStandby(): Promise<Cluster> {
    const folder = newFolder()
    const from = ['-h', '127.0.0.1', '-p', String(this.#port), '-U', 'quipu']
    const copy = ['-D', folder, '-R', '-X', 'stream', '-c', 'fast', '--no-sync']
    // Proxies of the same process work meanwhile.
    await promisify(execFile)(program('pg_basebackup'), [...from, ...copy], asOwner(folder))
    const standby = new Cluster(folder, await freePort())
    await standby.start()
    await this.run("ALTER SYSTEM SET synchronous_standby_names = '*'")
    await this.run('SELECT pg_reload_conf()')
    return standby
  }

  /** Makes a standby accept writes. The earlier primary confirms no more commits. */
  async promote(): Promise<void> {
    await this.run('ALTER SYSTEM RESET synchronous_standby_names')
    // A statement that waits for the promotion may stop the replay, which waits up to 30 s for statements.
    await this.run('SELECT pg_reload_conf(), pg_promote(wait => false)')
    while ((await this.run('SELECT pg_is_in_recovery() AS waits'))[0]!['waits']) await sleep(READY_PAUSE_MS)
  }

  /** Kills the server without a shutdown, like a power cut. */
  async kill(): Promise<void> {
    await this.#end('SIGKILL')
  }

  /** Stops the server without a checkpoint: its folder is deleted. A checkpoint of three databases took 4 s. */
  async stop(): Promise<void> {
    if (--this.#users > 0) return
    await this.#end('SIGQUIT')
    process.off('exit', this.#onExit)
    rmSync(this.#folder, { recursive: true, force: true })
  }

  async run(sql: string, url = this.url()): Promise<readonly Record<string, unknown>[]> {
    const connection = await connect(url)
    try {
      return (await connection.query(sql)).rows
    } finally {
      await connection.end()
    }
  }

  readonly #onExit = (): void => {
    this.#server?.kill('SIGKILL')
    rmSync(this.#folder, { recursive: true, force: true })
  }

  // After a kill the server does not start until leftover processes have ended, so several attempts may be needed.
  get #isRunning(): boolean {
    return this.#server !== undefined && this.#server.exitCode === null && this.#server.signalCode === null
  }

  #spawn(): void {
    const args = [
      '-D',
      this.#folder,
      '-k',
      this.#folder,
      '-p',
      String(this.#port),
      ...settings,
      ...this.#more,
    ]
    this.#server = spawn(program('postgres'), args, { ...asOwner(this.#folder), stdio: 'ignore' })
  }

  async #end(signal: NodeJS.Signals): Promise<void> {
    if (!this.#isRunning) return
    const ended = once(this.#server!, 'exit')
    this.#server!.kill(signal)
    await ended
  }
}

function newFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'quipu-postgres-'))
  if (owner) chownSync(folder, owner.uid, owner.gid)
  return folder
}

/** Writes the files of a new cluster. A copy of the first cluster costs 0.05 instead of 0.65 CPU seconds. */
function fill(folder: string): void {
  const initdb = program('initdb')
  const version = execFileSync(initdb, ['--version'], { encoding: 'utf8' }).replace(/[^\w.]+/g, '-')
  const template = join(import.meta.dirname, '../../../../node_modules', `.${version}`)
  const copy = (from: string, to: string) => execFileSync('cp', ['-a', `${from}/.`, to])
  if (existsSync(template)) return void copy(template, folder)
  const options = ['--no-sync', '--auth=trust', '--username=quipu', '--encoding=UTF8', '--locale=C']
  execFileSync(initdb, ['-D', folder, ...options], { ...asOwner(folder), stdio: 'ignore' })
  const unfinished = `${template}-${process.pid}`
  copy(folder, unfinished)
  try {
    renameSync(unfinished, template)
  } catch {
    // Another process was faster.
    rmSync(unfinished, { recursive: true, force: true })
  }
}

type Owner = { readonly uid: number; readonly gid: number }

// PostgreSQL does not run as root; its package creates a user.
const owner = ownerOfPostgres()

function asOwner(cwd: string) {
  return { cwd, ...(owner ?? {}) }
}

/** The user of the package, if this process is root. */
export function ownerOfPostgres(): Owner | undefined {
  if (process.getuid?.() !== 0) return undefined
  program('initdb')
  const id = (flag: string) => Number(execFileSync('id', [flag, 'postgres'], { encoding: 'utf8' }))
  return { uid: id('-u'), gid: id('-g') }
}

/** The path of the newest PostgreSQL program. Installs PostgreSQL if allowed. */
function program(name: string): string {
  const found = () =>
    [
      ...globSync(`/usr/lib/postgresql/*/bin/${name}`),
      `/usr/pgsql/bin/${name}`,
      `/usr/local/bin/${name}`,
      `/usr/bin/${name}`,
    ]
      .filter((path) => existsSync(path))
      .at(0)
  const path = found() ?? (install() ? found() : undefined)
  if (path === undefined)
    throw new Error(`${name} of PostgreSQL is not installed; install it (Debian: apt-get install postgresql)`)
  return path
}

function install(): boolean {
  if (process.getuid?.() !== 0 || spawnSync('which', ['apt-get']).status !== 0) return false
  const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' }
  // Another process may be installing packages too.
  const line = ['-o', 'DPkg::Lock::Timeout=600', 'install', '-y', '-qq', 'postgresql']
  return spawnSync('apt-get', line, { env, stdio: 'ignore' }).status === 0
}
