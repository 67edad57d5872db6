import { execFileSync } from 'node:child_process'
import { cpSync, globSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, join, resolve } from 'node:path'
import { type BuildOptions, build } from 'esbuild'
import { librariesOf, licenceTexts } from '../packaging/libraries.ts'
import { NODE_MIN, names } from '../packaging/names.ts'
import { buildSdk } from '../sdk/build.ts'

const root = join(import.meta.dirname, '..')
const source = join(import.meta.dirname, 'src')

/** CommonJS packages in the bundle call `require` for modules of Node. */
const requireInModules = `import { createRequire } from 'node:module'; const require = createRequire(import.meta.url);`

/** `import.meta.url` does not exist in CommonJS. */
const urlInCommonJs = `const importMetaUrl = require('node:url').pathToFileURL(__filename).href;`

const common: BuildOptions = {
  bundle: true,
  platform: 'node',
  target: 'node22',
  external: ['pg-native'],
  metafile: true,
  absWorkingDir: root,
  logLevel: 'warning',
}

/**
 * Makes the folder of the published package: the entry points for `import` and `require`, the thread with the bundled server,
 * and declarations. The package has no dependencies.
 */
export async function buildTesting(target: string): Promise<void> {
  // esbuild would resolve a relative folder against the repository.
  const folder = resolve(target)
  const dist = join(folder, 'dist')
  rmSync(folder, { recursive: true, force: true })
  mkdirSync(dist, { recursive: true })
  const work = mkdtempSync(join(tmpdir(), 'quipu-testing-'))
  try {
    await buildSdk(join(work, 'sdk'))
    const licences = await bundle(dist, join(work, 'sdk', 'index.js'))
    writeFileSync(join(folder, 'THIRD-PARTY-LICENSES'), licences)
    writeDeclarations(dist, work)
  } finally {
    rmSync(work, { recursive: true, force: true })
  }
  for (const entry of globSync(join(import.meta.dirname, 'entries', '*')))
    cpSync(entry, join(dist, basename(entry)))
  cpSync(join(import.meta.dirname, 'README.md'), join(folder, 'README.md'))
  cpSync(join(root, 'LICENSE'), join(folder, 'LICENSE'))
  writeFileSync(join(folder, 'package.json'), `${JSON.stringify(manifestOf(), undefined, 2)}\n`)
}

/** The entry points have the SDK in them, the thread has the server. Returns the licences of the libraries in it. */
async function bundle(dist: string, sdk: string): Promise<string> {
  const alias = { '@quipu/sdk': sdk }
  const modules: BuildOptions = { ...common, format: 'esm', banner: { js: requireInModules } }
  await build({ ...modules, alias, entryPoints: [join(source, 'index.ts')], outdir: dist })
  const thread = await build({
    ...modules,
    entryPoints: ['broker-thread', 'broker-process'].map((name) => join(source, `${name}.ts`)),
    outdir: dist,
    splitting: true,
  })
  await build({
    ...common,
    alias,
    format: 'cjs',
    banner: { js: urlInCommonJs },
    define: { 'import.meta.url': 'importMetaUrl' },
    entryPoints: [join(source, 'require.ts')],
    outfile: join(dist, 'index.cjs'),
  })
  cpSync(join(root, 'scenarios'), join(dist, 'scenarios'), { recursive: true })
  cpSync(join(root, 'broker/src/market/tickers/tickers.txt'), join(dist, 'tickers', 'tickers.txt'))
  return licenceTexts(librariesOf(thread.metafile!))
}

/** The manifest of the published package. */
function manifestOf(): Readonly<Record<string, unknown>> {
  const { version, license } = JSON.parse(readFileSync(join(import.meta.dirname, 'package.json'), 'utf8'))
  return {
    name: names.testing,
    version,
    license,
    description: 'Test trading programs against a real broker',
    type: 'module',
    exports: {
      '.': {
        types: './dist/kit.d.ts',
        import: './dist/index.js',
        require: './dist/index.cjs',
      },
      './vitest': { types: './dist/vitest.d.ts', default: './dist/vitest.js' },
      './jest': { types: './dist/jest.d.ts', default: './dist/jest.cjs' },
      './jest-globals': { types: './dist/jest-globals.d.ts', default: './dist/jest-globals.cjs' },
    },
    types: './dist/kit.d.ts',
    files: ['dist', 'THIRD-PARTY-LICENSES'],
    engines: { node: `>=${NODE_MIN}` },
  }
}

/** Emits the declarations that the entry point reaches. They import only each other. */
function writeDeclarations(dist: string, work: string): void {
  const compiler = join(root, 'node_modules', 'typescript', 'bin', 'tsc')
  const flags = [
    '--noEmit',
    'false',
    '--declaration',
    '--emitDeclarationOnly',
    // `npm run check` checks the types.
    '--noCheck',
    '--rootDir',
    root,
    '--outDir',
    work,
  ]
  execFileSync(process.execPath, [compiler, '-p', import.meta.dirname, ...flags], { stdio: 'inherit' })
  const emitted = join(work, 'testing', 'src')
  for (const name of reachable(emitted, 'kit')) {
    const text = readFileSync(join(emitted, `${name}.d.ts`), 'utf8')
    writeFileSync(join(dist, `${name}.d.ts`), text.replaceAll(/(from '\.[^']*)\.ts'/g, "$1.js'"))
  }
}

/** The modules that a declaration imports, itself included. */
function reachable(folder: string, name: string, found = new Set<string>()): ReadonlySet<string> {
  if (found.has(name)) return found
  found.add(name)
  const text = readFileSync(join(folder, `${name}.d.ts`), 'utf8')
  for (const [, from] of text.matchAll(/(?:from |import\()["']([^"']+)["']/g)) {
    if (!from!.startsWith('./'))
      throw new Error(`${name}.d.ts imports ${from}, which the package does not contain`)
    reachable(folder, basename(from!, '.ts'), found)
  }
  return found
}

if (import.meta.main) {
  const folder = process.argv[2]
  if (folder === undefined) throw new Error('usage: node testing/build.ts FOLDER')
  await buildTesting(folder)
}
