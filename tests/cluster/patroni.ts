import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, chownSync, existsSync, globSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { ownerOfPostgres } from '../../broker/src/postgres/testing/server.ts'
import { blockOf } from '../deploy/page.ts'
import { longPrograms, pathOf } from '../programs/debian.ts'
import { type Body, newFolder } from '../support/broker.ts'
import { waitUntil } from '../support/wait-until.ts'
import { haproxy } from './haproxy.ts'

const guide = (language: string, words: string) => blockOf('cluster.md', language, words)

const HOSTS = [1, 2, 3] as const
type Host = (typeof HOSTS)[number]

/** How a leader is lost: its machine, or only Patroni, so that PostgreSQL continues as a former primary. */
export type Loss = 'machine' | 'patroni'

/**
 * PostgreSQL under Patroni on three hosts, with the files of the cluster guide. Each host is a loopback address; only
 * addresses, folders and the path of PostgreSQL are replaced.
 */
export class Patroni {
  readonly #folder = newFolder()
  readonly #network = `127.${random()}.${random()}`
  readonly #processes = new Map<string, ChildProcess>()
  readonly #owner = ownerOfPostgres()

  private constructor() {
    process.once('exit', this.#onExit)
    for (const host of HOSTS) {
      for (const name of ['', 'postgresql', 'run', 'etcd']) this.#makeFolder(join(this.#home(host), name))
      this.#write(host, 'patroni.yml', guide('yaml', 'scope:'))
    }
  }

  static async start(): Promise<Patroni> {
    const patroni = new Patroni()
    for (const host of HOSTS) patroni.#startEtcd(host)
    for (const host of HOSTS) patroni.#startPatroni(host)
    // It needs some checks until it knows the leader.
    patroni.#startHaproxy()
    await patroni.untilHealthy()
    const leader = await patroni.#leader()
    for (const statement of guide('sql', 'CREATE ROLE').trim().split('\n'))
      await patroni.#psql(leader, statement)
    return patroni
  }

  /** The setting of the guide that names all hosts. */
  severalHosts(): string {
    return this.#replaced(1, storeOf('10.0.1.2:5432'))
  }

  /** The setting of the guide that names HAProxy. */
  behindHaproxy(): string {
    return this.#replaced(1, storeOf('127.0.0.1:5433'))
  }

  /** Runs the command of the guide, and waits for another leader. */
  async switchover(): Promise<void> {
    const [, ...line] = guide('sh', 'switchover').trim().split(' ')
    const args = line.map((word) => (word.endsWith('.yml') ? join(this.#home(1), 'patroni.yml') : word))
    const before = await this.#leader()
    await promisify(execFile)(pathOf(longPrograms.patronictl), args)
    await this.#untilLeaderIsNot(before)
  }

  /** Kills the leader, waits for another one, and returns the lost host. */
  async loseLeader(loss: Loss): Promise<Host> {
    const host = await this.#leader()
    this.#processes.get(`patroni ${host}`)!.kill('SIGKILL')
    if (loss === 'machine') this.#killPostgres(host)
    await this.#untilLeaderIsNot(host)
    return host
  }

  /** Starts a lost host again. Patroni makes it a standby. */
  async restore(host: Host): Promise<void> {
    this.#startPatroni(host)
    await this.untilHealthy()
  }

  /** Waits for a leader and two standbys that stream from it, one of them synchronous. */
  async untilHealthy(): Promise<void> {
    await waitUntil('Patroni has a leader and two standbys', async () => {
      const members = (await Promise.all(HOSTS.map((host) => this.#members(host)))).find(
        (list) => list.length === 3,
      )
      const roles = members
        ?.filter(({ state }) => state === 'running' || state === 'streaming')
        .map(({ role }) => role)
      return roles?.toSorted().join() === 'leader,replica,sync_standby'
    })
  }

  async stop(): Promise<void> {
    for (const process of this.#processes.values()) {
      if (process.exitCode !== null || process.signalCode !== null) continue
      process.kill('SIGKILL')
      await once(process, 'exit')
    }
    for (const host of HOSTS) this.#killPostgres(host)
    process.off('exit', this.#onExit)
  }

  readonly #onExit = (): void => {
    for (const process of this.#processes.values()) process.kill('SIGKILL')
    for (const host of HOSTS) this.#killPostgres(host)
  }

  async #untilLeaderIsNot(host: Host): Promise<void> {
    await waitUntil('another host is the leader', async () => {
      const leader = await this.#leader().catch(() => host)
      return leader !== host
    })
  }

  async #leader(): Promise<Host> {
    const responses = await Promise.all(
      HOSTS.map((host) => fetch(`http://${this.#network}.${host}:8008/primary`).catch(() => undefined)),
    )
    const leader = HOSTS.find((_, index) => responses[index]?.ok)
    if (!leader) throw new Error('Patroni has no leader')
    return leader
  }

  async #members(host: Host): Promise<readonly Body[]> {
    const response = await fetch(`http://${this.#network}.${host}:8008/cluster`).catch(() => undefined)
    return response?.ok ? ((await response.json()) as Body).members : []
  }

  #startEtcd(host: Host): void {
    const lines = this.#replaced(host, guide('ini', 'ETCD_NAME')).trim().split('\n')
    const env = Object.fromEntries(lines.map((line) => /^(\w+)=(.*)$/.exec(line)!.slice(1)))
    this.#spawn(`etcd ${host}`, pathOf(longPrograms.etcd), [], env)
  }

  #startPatroni(host: Host): void {
    this.#spawn(`patroni ${host}`, pathOf(longPrograms.patroni), [join(this.#home(host), 'patroni.yml')])
  }

  #startHaproxy(): void {
    const file = this.#write(1, 'haproxy.cfg', guide('haproxy', 'listen postgres'))
    this.#spawn('haproxy', haproxy, ['-db', '-f', file])
  }

  async #psql(host: Host, statement: string): Promise<void> {
    const line = [
      '-h',
      `${this.#network}.${host}`,
      '-U',
      'postgres',
      '-v',
      'ON_ERROR_STOP=1',
      '-c',
      statement,
    ]
    const env = {
      ...process.env,
      PGPASSWORD: /superuser:\n.*\n +password: (\S+)/.exec(guide('yaml', 'scope:'))![1],
    }
    await promisify(execFile)('psql', [...line, 'postgres'], { env })
  }

  #spawn(
    name: string,
    path: string,
    line: readonly string[],
    env: Readonly<Record<string, string>> = {},
  ): void {
    const started = spawn(path, line, {
      ...this.#owner,
      cwd: this.#folder,
      env: { PATH: process.env['PATH'], LC_ALL: 'C.UTF-8', ...env },
      stdio: 'ignore',
    })
    this.#processes.set(name, started)
  }

  /** PostgreSQL is no child of Patroni. Its other processes end with the first one. */
  #killPostgres(host: Host): void {
    const file = join(this.#home(host), 'postgresql', 'quipu', 'postmaster.pid')
    if (!existsSync(file)) return
    try {
      process.kill(Number(readFileSync(file, 'utf8').split('\n')[0]), 'SIGKILL')
    } catch {
      // It has ended already.
    }
  }

  #home(host: Host): string {
    return join(this.#folder, `db-${host}`)
  }

  #makeFolder(path: string): void {
    mkdirSync(path, { recursive: true })
    for (const folder of [this.#folder, path])
      if (this.#owner) chownSync(folder, this.#owner.uid, this.#owner.gid)
  }

  #write(host: Host, name: string, text: string): string {
    const path = join(this.#home(host), name)
    writeFileSync(path, this.#replaced(host, text))
    chmodSync(path, 0o600)
    if (this.#owner) chownSync(path, this.#owner.uid, this.#owner.gid)
    return path
  }

  /** A text of the guide for db-1 as this host has it: lines with one address are its own. */
  #replaced(host: Host, text: string): string {
    const own = (line: string) =>
      /,|server db-/.test(line)
        ? line
        : line.replaceAll('10.0.1.1', `10.0.1.${host}`).replaceAll('db-1', `db-${host}`)
    return text
      .split('\n')
      .map(own)
      .join('\n')
      .replaceAll('10.0.1.', `${this.#network}.`)
      .replaceAll('10.0.0.0/8', '127.0.0.0/8')
      .replaceAll('127.0.0.1:5433', `${this.#network}.100:5433`)
      .replaceAll('/usr/lib/postgresql/15/bin', globSync('/usr/lib/postgresql/*/bin').at(-1)!)
      .replaceAll('/var/lib/postgresql', join(this.#home(host), 'postgresql'))
      .replaceAll('/run/postgresql', join(this.#home(host), 'run'))
      .replaceAll('/var/lib/etcd', join(this.#home(host), 'etcd'))
  }
}

/** The value of `QUIPU_STORE` in the block of the guide with this address. */
const storeOf = (address: string): string => /QUIPU_STORE=(\S+)/.exec(guide('sh', address))![1]!

const random = (): number => 1 + Math.floor(Math.random() * 250)
