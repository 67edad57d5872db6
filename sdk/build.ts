import { execFileSync } from 'node:child_process'
import { cpSync, globSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { build } from 'esbuild'
import { contractModule } from './build/contract-module.ts'

const sdk = import.meta.dirname
const root = join(sdk, '..')

/**
 * Builds the package into a folder, ready for `npm pack`: one module without dependencies, its declarations, the
 * manifest, README and licences.
 */
export async function buildSdk(folder: string): Promise<void> {
  const work = mkdtempSync(join(tmpdir(), 'quipu-sdk-'))
  try {
    writeSources(work)
    rmSync(folder, { recursive: true, force: true })
    mkdirSync(folder, { recursive: true })
    await bundle(work, folder)
    declare(work, folder)
    writeManifest(folder)
  } finally {
    rmSync(work, { recursive: true, force: true })
  }
}

/** The sources with the flat contract in place of the module that imports the contract package. */
function writeSources(work: string): void {
  cpSync(join(sdk, 'src'), work, {
    recursive: true,
    filter: (path) => !/\.spec\.ts$|\/testing$/.test(path),
  })
  for (const [name, text] of Object.entries(contractModule())) {
    mkdirSync(dirname(join(work, name)), { recursive: true })
    writeFileSync(join(work, name), text)
  }
}

async function bundle(work: string, folder: string): Promise<void> {
  await build({
    entryPoints: [join(work, 'index.ts')],
    outdir: folder,
    bundle: true,
    format: 'esm',
    platform: 'neutral',
    target: 'es2022',
    logLevel: 'warning',
  })
}

/** The declarations, with the names of the files that a consumer's compiler looks for. */
function declare(work: string, folder: string): void {
  const types = join(work, 'types')
  const options = {
    ...compilerOptions,
    rootDir: '.',
    outDir: 'types',
    typeRoots: [join(root, 'node_modules', '@types')],
  }
  writeFileSync(
    join(work, 'tsconfig.json'),
    JSON.stringify({ compilerOptions: options, files: ['index.ts'] }),
  )
  const compiler = join(root, 'node_modules', 'typescript', 'bin', 'tsc')
  execFileSync(process.execPath, [compiler, '-p', work], { stdio: 'inherit' })
  for (const name of globSync('**/*.d.ts', { cwd: types })) {
    const text = readFileSync(join(types, name), 'utf8').replace(/(from '\.[^']*)\.ts'/g, "$1.js'")
    mkdirSync(dirname(join(folder, 'types', name)), { recursive: true })
    writeFileSync(join(folder, 'types', name), text)
  }
}

const compilerOptions = {
  strict: true,
  target: 'ES2022',
  lib: ['ES2024', 'DOM'],
  module: 'ESNext',
  moduleResolution: 'bundler',
  types: [],
  exactOptionalPropertyTypes: true,
  noUncheckedIndexedAccess: true,
  allowImportingTsExtensions: true,
  verbatimModuleSyntax: true,
  declaration: true,
  emitDeclarationOnly: true,
}

function writeManifest(folder: string): void {
  const { name, version, license } = JSON.parse(readFileSync(join(sdk, 'package.json'), 'utf8'))
  const manifest = {
    name,
    version,
    license,
    description:
      'Client of Quipu and of the Alpaca API: orders, market data, streams, OAuth and tokenization',
    type: 'module',
    sideEffects: false,
    exports: { '.': { types: './types/index.d.ts', default: './index.js' } },
    types: './types/index.d.ts',
    engines: { node: '>=20' },
  }
  writeFileSync(join(folder, 'package.json'), `${JSON.stringify(manifest, undefined, 2)}\n`)
  cpSync(join(sdk, 'README.md'), join(folder, 'README.md'))
  cpSync(join(root, 'LICENSE'), join(folder, 'LICENSE'))
}

if (import.meta.main) {
  const folder = process.argv[2]
  if (folder === undefined) throw new Error('usage: node sdk/build.ts FOLDER')
  await buildSdk(folder)
}
