import { execFileSync, spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, readdirSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { installMissing, longPrograms } from '../programs/debian.ts'

const { buildah, podman, runc, podmanCompose, iptables, debootstrap } = longPrograms
const programs = [buildah, podman, runc, podmanCompose, iptables, debootstrap]

/** The reason why containers cannot run here, if there is one. */
export function noContainers(): string | undefined {
  if (process.platform !== 'linux' || process.getuid?.() !== 0) return 'needs Linux and root'
  if (installMissing(programs)) return undefined
  return `needs ${programs.map(({ name }) => name).join(', ')} (Debian: apt-get install)`
}

// Not /tmp: it may be small.
const STORAGE = '/var/tmp'
const PREFIX = 'quipu-containers-'

/** Images and containers of a test run in a storage of their own, deleted at the end of the process. */
export class Engine {
  readonly folder: string
  readonly #env: NodeJS.ProcessEnv

  /** First ends what a killed run left: containers, and rules of the firewall that take ports from other programs. */
  static open(): Engine {
    for (const name of readdirSync(STORAGE)) {
      const [, pid] = name.match(`^${PREFIX}(\\d+)-`) ?? []
      if (pid !== undefined && !existsSync(`/proc/${pid}`)) new Engine(join(STORAGE, name)).close()
    }
    return new Engine(mkdtempSync(join(STORAGE, `${PREFIX}${process.pid}-`)))
  }

  private constructor(folder: string) {
    this.folder = folder
    const file = (name: string, text: string) => {
      const path = join(this.folder, name)
      writeFileSync(path, text)
      return path
    }
    this.#env = {
      ...process.env,
      CONTAINERS_STORAGE_CONF: file(
        'storage.conf',
        `[storage]\ndriver = "vfs"\ngraphroot = "${this.folder}/graph"\nrunroot = "${this.folder}/run"\n`,
      ),
      // A sandbox may not raise limits, and crun refuses its control groups.
      CONTAINERS_CONF: file(
        'containers.conf',
        '[containers]\ndefault_ulimits = ["nofile=16384:16384", "nproc=4096:4096"]\n' +
          '[engine]\ncgroup_manager = "cgroupfs"\nruntime = "runc"\nevents_logger = "file"\n',
      ),
      BUILDAH_ISOLATION: 'chroot',
    }
    mkdirSync(join(this.folder, 'graph'), { recursive: true })
  }

  /** Runs a program to its end and returns its output. A failure is an error with both outputs. */
  run(
    program: string,
    line: readonly string[],
    options: { readonly cwd?: string; readonly env?: object } = {},
  ) {
    const env = { ...this.#env, ...options.env }
    const done = spawnSync(program, line, { cwd: options.cwd, env, encoding: 'utf8', timeout: 300_000 })
    if (done.error) throw done.error
    if (done.status !== 0)
      throw new Error(`${program} ${line.join(' ')}: exit code ${done.status}\n${done.stdout}${done.stderr}`)
    return done.stdout.trim()
  }

  podman(...line: readonly string[]): string {
    return this.run('podman', line)
  }

  build(tag: string, folder: string, ...flags: readonly string[]): void {
    // The OCI format has no health checks.
    this.run('buildah', ['bud', '--format', 'docker', '-t', tag, ...flags, '.'], { cwd: folder })
  }

  close(): void {
    spawnSync('podman', ['rm', '--all', '--force', '-t', '0'], { env: this.#env })
    spawnSync('podman', ['volume', 'prune', '--force'], { env: this.#env })
    for (const mount of ['overlay', 'vfs']) spawnSync('umount', ['-R', join(this.folder, 'graph', mount)])
    rmSync(this.folder, { recursive: true, force: true })
  }
}

/** A Debian root folder, made once and kept in node_modules. */
export function debianRoot(name: string, ...include: readonly string[]): string {
  const cache = join(import.meta.dirname, '..', '..', 'node_modules', '.debian')
  const tar = join(cache, `${name}.tar`)
  mkdirSync(cache, { recursive: true })
  if (spawnSync('test', ['-f', tar]).status === 0) return tar
  const root = mkdtempSync('/var/tmp/quipu-debian-')
  const flags = ['--variant=minbase', ...(include.length > 0 ? [`--include=${include.join(',')}`] : [])]
  execFileSync('debootstrap', [...flags, 'bookworm', root], { stdio: 'pipe', maxBuffer: 1e8 })
  // Two specs may make the same one at the same time.
  const unfinished = `${tar}.${process.pid}`
  execFileSync('tar', ['-C', root, '--exclude=./var/cache/apt/archives/*.deb', '-cf', unfinished, '.'])
  renameSync(unfinished, tar)
  rmSync(root, { recursive: true, force: true })
  return tar
}

/**
 * A port for a container. The kernel gives higher ports to programs that ask for any: the rules of a killed run would
 * take the connections of such a program.
 */
export async function portToPublish(): Promise<number> {
  for (let port = 20_000 + (process.pid % 10_000); ; port++) {
    const server = createServer()
    const isFree = await new Promise<boolean>((resolve) => {
      server.once('error', () => resolve(false))
      server.listen(port, '127.0.0.1', () => resolve(true))
    })
    server.close()
    if (isFree) return port
  }
}
