import { chmodSync, cpSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { bundleServer } from '../cli/build.ts'
import { buildWeb } from '../web/build/build-web.ts'
import { librariesOf, licenceTexts } from './libraries.ts'
import { NODE_MIN, names } from './names.ts'

const root = join(import.meta.dirname, '..')

export type BrokerOptions = {
  /** A built dashboard to copy. Default: a new build, whose pages are compressed better, which takes longer. */
  readonly web?: string
}

/** Writes the package of the server and its command line into a folder: one bundle without dependencies. */
export async function buildBroker(folder: string, { web }: BrokerOptions = {}): Promise<void> {
  rmSync(folder, { recursive: true, force: true })
  mkdirSync(join(folder, 'bin'), { recursive: true })
  const bundle = await bundleServer(join(folder, 'dist'), { isPackage: true })
  const target = join(folder, 'dist', 'web')
  if (web === undefined) await buildWeb(target, { quality: 10 })
  else cpSync(web, target, { recursive: true })
  writeFileSync(join(folder, 'THIRD-PARTY-LICENSES'), licenceTexts(librariesOf(bundle)))
  cpSync(join(root, 'cli', 'bin', 'packed.cjs'), join(folder, 'bin', 'quipu.cjs'))
  chmodSync(join(folder, 'bin', 'quipu.cjs'), 0o755)
  cpSync(join(root, 'LICENSE'), join(folder, 'LICENSE'))
  cpSync(join(import.meta.dirname, 'broker-readme.md'), join(folder, 'README.md'))
  writeFileSync(join(folder, 'package.json'), `${JSON.stringify(manifest(), undefined, 2)}\n`)
}

function manifest() {
  const { version, license } = JSON.parse(readFileSync(join(root, 'cli', 'package.json'), 'utf8'))
  const { description } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))
  const program = 'bin/quipu.cjs'
  return {
    name: names.broker,
    version,
    description,
    license,
    type: 'module',
    bin: { quipu: program, [names.broker]: program },
    exports: { '.': './dist/index.js', './package.json': './package.json' },
    engines: { node: `>=${NODE_MIN}` },
  }
}

// The build of the Python package (python/build_backend.py) starts this file.
if (import.meta.main) {
  const folder = process.argv[2]
  if (folder === undefined) throw new Error('usage: node packaging/broker-package.ts FOLDER')
  await buildBroker(folder)
}
