import { execFileSync } from 'node:child_process'
import { hash } from 'node:crypto'
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, join, resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { dateChangelog } from './changelog.ts'
import { buildImage } from './image.ts'
import { names } from './names.ts'
import { setVersion, versionOf } from './version.ts'
import { python } from './wheel.ts'

const help = `Usage: npm run release -- [--dry-run] [--version X.Y.Z] [flags]

Build a release from a clean clone of the last commit: versions, changelog, kept data folder, tarballs, wheel, image,
bill of materials and checksums. Then commit and tag it. Nothing is published: the last lines show the commands.

  --dry-run               Build everything, but do not commit and tag.
  --version X.Y.Z         Version of the release. Default: the version of the manifests.
  --out DIR               Folder of the files. Default: dist/release
  --no-image              Build no container image.
  --image-arg NAME=VALUE  Build argument of the Containerfile, for example BASE=…`

const root = join(import.meta.dirname, '..')

const { values } = parseArgs({
  allowNegative: true,
  options: {
    'dry-run': { type: 'boolean', default: false },
    version: { type: 'string' },
    out: { type: 'string', default: join('dist', 'release') },
    image: { type: 'boolean', default: true },
    'image-arg': { type: 'string', multiple: true, default: [] },
    help: { type: 'boolean' },
  },
})
if (values.help) console.log(help)
else
  try {
    release()
  } catch (error) {
    console.error(`✖ ${(error as Error).message}`)
    process.exitCode = 1
  }

function release(): void {
  const isDry = values['dry-run']
  // Without Python there would be no wheel.
  python()
  const uncommitted = run(root, 'git', 'status', '--porcelain')
  if (uncommitted !== '' && !isDry) throw new Error(`the checkout has uncommitted changes:\n${uncommitted}`)
  if (uncommitted !== '') console.log('Note: uncommitted changes are not in this release.')
  const version = values.version ?? versionOf(root)
  const out = resolve(values.out)
  rmSync(out, { recursive: true, force: true })
  mkdirSync(out, { recursive: true })
  const work = mkdtempSync(join(tmpdir(), 'quipu-release-'))
  try {
    const clone = join(work, 'clone')
    prepare(clone, version, out)
    build(clone, version, out)
    step('checksums', () => writeChecksums(out))
    if (isDry) console.log(`\nDry run: nothing was committed. The files are in ${out}`)
    else keep(clone, version, out)
  } finally {
    rmSync(work, { recursive: true, force: true })
  }
}

/** The commit of the release, in a clone without files that are not in the repository. */
function prepare(clone: string, version: string, out: string): void {
  step('clean clone', () => {
    run(root, 'git', 'clone', '--quiet', root, clone)
    run(clone, 'npm', 'ci', '--prefer-offline')
  })
  step(`version ${version}`, () => setVersion(clone, version))
  step('changelog', () => {
    const path = join(clone, 'CHANGELOG.md')
    const date = new Date().toISOString().slice(0, 10)
    const { text, notes } = dateChangelog(readFileSync(path, 'utf8'), version, date)
    writeFileSync(path, text)
    writeFileSync(join(out, 'release-notes.md'), notes)
  })
  step('generated pages', () => run(clone, process.execPath, 'docs/make.ts'))
  step('kept data folder', () => {
    if (!existsSync(join(clone, 'tests', 'releases', version)))
      run(clone, process.execPath, 'tests/releases/make.ts')
    // The data folders of all releases open with this version.
    run(clone, process.execPath, '--test', 'tests/releases/releases.spec.ts')
  })
  step('commit and tag', () => {
    run(clone, 'git', 'add', '--all')
    run(clone, 'git', 'commit', '--quiet', '--allow-empty', '-m', `release: ${version}`)
    run(clone, 'git', 'tag', '-a', `v${version}`, '-m', `Quipu ${version}`)
  })
}

function build(clone: string, version: string, out: string): void {
  step('tarballs and wheel', () => {
    run(clone, process.execPath, 'packaging/pack.ts', '--out', 'dist')
    for (const file of readdirSync(join(clone, 'dist')))
      writeFileSync(join(out, file), readFileSync(join(clone, 'dist', file)))
  })
  const tarball = join(out, `${names.broker}-${version}.tgz`)
  step('installed package reports its version', () => checkInstalled(clone, tarball, version))
  step('installed wheel reports its version', () => checkWheel(clone, wheelIn(out), version))
  step('bill of materials', () => {
    const file = join(out, `${names.broker}-${version}.cdx.json`)
    writeFileSync(file, run(clone, process.execPath, 'packaging/print-sbom.ts'))
  })
  if (!values.image) return console.log('– image: omitted')
  step('image', () =>
    buildImage(clone, version, join(out, `${names.image}-${version}-image.tar`), values['image-arg']),
  )
}

function checkInstalled(clone: string, tarball: string, version: string): void {
  const folder = join(clone, '..', 'installed')
  mkdirSync(folder)
  writeFileSync(join(folder, 'package.json'), '{ "private": true }')
  run(folder, 'npm', 'install', '--offline', '--no-audit', '--no-fund', tarball)
  const reported = run(folder, process.execPath, join('node_modules', '.bin', names.broker), '--version')
  if (reported !== version) throw new Error(`expected ${version}, received ${reported}`)
}

function checkWheel(clone: string, wheel: string, version: string): void {
  const environment = join(clone, '..', 'environment')
  run(clone, python(), '-m', 'venv', environment)
  const program = (name: string) => join(environment, process.platform === 'win32' ? 'Scripts' : 'bin', name)
  run(clone, program('python'), '-m', 'pip', 'install', '--no-index', '--quiet', wheel)
  // The Node of the PATH may be older.
  process.env['QUIPU_NODE'] = process.execPath
  const reported = run(clone, program('quipu'), '--version')
  if (reported !== version) throw new Error(`expected ${version}, received ${reported}`)
}

function wheelIn(out: string): string {
  return join(out, readdirSync(out).find((file) => file.endsWith('.whl'))!)
}

/** In the format of `sha256sum --check`. */
function writeChecksums(out: string): void {
  const lines = readdirSync(out)
    .sort()
    .map((file) => `${hash('sha256', readFileSync(join(out, file)))}  ${file}\n`)
  writeFileSync(join(out, 'SHA256SUMS'), lines.join(''))
}

/** Takes the commit and the tag into this checkout. */
function keep(clone: string, version: string, out: string): void {
  run(root, 'git', 'fetch', '--quiet', clone, 'HEAD', `refs/tags/v${version}:refs/tags/v${version}`)
  run(root, 'git', 'merge', '--ff-only', '--quiet', `v${version}`)
  const tarballs = readdirSync(out).filter((file) => file.endsWith('.tgz'))
  const commands = [
    `git push origin HEAD v${version}`,
    ...tarballs.map((file) => `npm publish --access public ${join(out, file)}`),
    `twine upload ${wheelIn(out)}`,
    ...(values.image ? [`podman load -i ${join(out, `${names.image}-${version}-image.tar`)}`] : []),
  ]
  console.log(
    `\nCommitted and tagged v${version}. To publish:\n${commands.map((line) => `  ${line}`).join('\n')}`,
  )
}

function step(name: string, work: () => unknown): void {
  const before = performance.now()
  work()
  console.log(`✔ ${name} (${((performance.now() - before) / 1000).toFixed(1)} s)`)
}

function run(cwd: string, command: string, ...line: readonly string[]): string {
  // An npm script sets variables of its package, and a test runner its own.
  const env = Object.fromEntries(
    Object.entries(process.env).filter(([name]) => !/^(npm_|NODE_TEST)/.test(name)),
  )
  try {
    return execFileSync(command, line, { cwd, env, encoding: 'utf8', stdio: 'pipe', maxBuffer: 1e8 }).trim()
  } catch (error) {
    const { stdout, stderr } = error as { stdout?: string; stderr?: string }
    throw new Error(`${basename(command)} ${line.join(' ')} failed\n${stdout ?? ''}${stderr ?? ''}`, {
      cause: error,
    })
  }
}
