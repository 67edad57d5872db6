import { execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { buildSdk } from '../sdk/build.ts'
import { buildTesting } from '../testing/build.ts'
import { type BrokerOptions, buildBroker } from './broker-package.ts'
import { names } from './names.ts'

/** A package as `npm pack` wrote it. */
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

/** Builds each package and writes its tarball into a folder. The same sources give the same bytes. */
export async function pack(
  folder: string,
  only = Object.keys(builds),
  options: BrokerOptions = {},
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
    }
    return tarballs
  } finally {
    rmSync(work, { recursive: true, force: true })
  }
}

function packFolder(built: string, folder: string): Tarball {
  const printed = execFileSync('npm', ['pack', '--json', '--pack-destination', resolve(folder)], {
    cwd: built,
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'pipe'],
    shell: process.platform === 'win32',
  })
  const [{ name, filename, size, unpackedSize }] = JSON.parse(printed)
  return { name, file: join(folder, filename), bytes: size, unpackedBytes: unpackedSize }
}

const help = `Usage: npm run pack -- [--out DIR]

Build the npm packages and write their tarballs.

  --out DIR   Folder of the tarballs. Default: dist`

if (import.meta.main) {
  const { values } = parseArgs({
    options: { out: { type: 'string', default: 'dist' }, help: { type: 'boolean' } },
  })
  if (values.help) console.log(help)
  else
    for (const { file, bytes, unpackedBytes } of await pack(values.out))
      console.log(`${file}  ${megabytes(bytes)} MB, installed ${megabytes(unpackedBytes)} MB`)
}

function megabytes(bytes: number): string {
  return (bytes / 1e6).toFixed(2)
}
