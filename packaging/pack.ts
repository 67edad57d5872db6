import { execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { buildSdk } from '../sdk/build.ts'
import { buildTesting } from '../testing/build.ts'
import { type BrokerOptions, buildBroker } from './broker-package.ts'
import { names } from './names.ts'
import { buildWheel, hasPython, type Wheel } from './wheel.ts'

/** A package as `npm pack` wrote it, or the wheel. */
export type Tarball = {
  readonly name: string
  readonly file: string
  readonly bytes: number
  readonly unpackedBytes: number
}

const builds: Readonly<Record<string, (folder: string, options: BrokerOptions) => Promise<void>>> = {
  [names.broker]: buildBroker,
  [names.sdk]: (folder) => buildSdk(folder),
  [names.testing]: buildTesting,
}

type PackOptions = BrokerOptions & {
  /** Write the package of the broker as a wheel of Python too. */
  readonly withWheel?: boolean
}

/** Builds each package and writes its tarball into a folder. The same sources give the same bytes. */
export async function pack(
  folder: string,
  only = Object.keys(builds),
  options: PackOptions = {},
): Promise<readonly Tarball[]> {
  mkdirSync(folder, { recursive: true })
  const work = mkdtempSync(join(tmpdir(), 'quipu-pack-'))
  try {
    const tarballs: Tarball[] = []
    for (const name of only) {
      const built = join(work, name.replace('/', '-'))
      await builds[name]!(built, options)
      const tarball = packFolder(built, folder)
      if (tarball.name !== name)
        throw new Error(`the manifest has the name ${tarball.name} instead of ${name}`)
      tarballs.push(tarball)
      if (name === names.broker && options.withWheel) tarballs.push({ name, ...buildWheel(built, folder) })
    }
    return tarballs
  } finally {
    rmSync(work, { recursive: true, force: true })
  }
}

/** Writes the tarball of a built package into a folder. */
export function packFolder(built: string, folder: string): Tarball {
  const printed = execFileSync('npm', ['pack', '--json', '--pack-destination', resolve(folder)], {
    cwd: built,
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'pipe'],
    shell: process.platform === 'win32',
  })
  const [{ name, filename, size, unpackedSize }] = JSON.parse(printed)
  return { name, file: join(folder, filename), bytes: size, unpackedBytes: unpackedSize }
}

/** Builds the package of the broker as a wheel only. */
export async function packWheel(folder: string, options: BrokerOptions = {}): Promise<Wheel> {
  const work = mkdtempSync(join(tmpdir(), 'quipu-wheel-'))
  try {
    await buildBroker(work, options)
    return buildWheel(work, folder)
  } finally {
    rmSync(work, { recursive: true, force: true })
  }
}

const help = `Usage: npm run pack -- [--out DIR]
       npm run pack:python -- [--out DIR]

Build the npm packages and the wheel for Python. The wheel needs Python 3.8 or newer.

  --out DIR   Folder of the files. Default: dist
  --python    Build only the wheel (npm run pack:python).`

if (import.meta.main) {
  const { values } = parseArgs({
    options: {
      out: { type: 'string', default: 'dist' },
      python: { type: 'boolean', default: false },
      help: { type: 'boolean' },
    },
  })
  if (values.help) console.log(help)
  else {
    const withWheel = hasPython()
    const files = values.python
      ? [await packWheel(values.out)]
      : await pack(values.out, undefined, { withWheel })
    for (const { file, bytes, unpackedBytes } of files)
      console.log(`${file}  ${megabytes(bytes)} MB, installed ${megabytes(unpackedBytes)} MB`)
    if (!withWheel) console.log('no wheel: it needs Python 3.8 or newer (PYTHON=PATH names one)')
  }
}

function megabytes(bytes: number): string {
  return (bytes / 1e6).toFixed(2)
}
