import { execFileSync } from 'node:child_process'
import { cpSync, globSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { build, type Plugin } from 'esbuild'
import { contractModule } from './build/contract-module.ts'

const sdk = import.meta.dirname
const root = join(sdk, '..')

/**
 * Builds the package into a folder, ready for `npm pack`: one module without dependencies, its declarations, the
 * manifest, README and licences.
 */
export async function buildSdk(folder: string, { hasDeclarations = true } = {}): Promise<void> {
  const work = mkdtempSync(join(tmpdir(), 'quipu-sdk-'))
  try {
    writeSources(work)
    rmSync(folder, { recursive: true, force: true })
    mkdirSync(folder, { recursive: true })
    await bundle(work, folder)
    if (hasDeclarations) declare(work, folder)
    writeManifest(folder)
  } finally {
    rmSync(work, { recursive: true, force: true })
  }
}

/** The sources with the flat contract in place of the module that imports the contract package. */
function writeSources(work: string): void {
  cpSync(join(sdk, 'src'), work, {
    recursive: true,
    filter: (path) => !/\.spec\.ts$|[\\/]testing$|[\\/]node-socket\.ts$/.test(path),
  })
  // The bundler then omits modules without a used export.
  writeFileSync(join(work, 'package.json'), JSON.stringify({ type: 'module', sideEffects: false }))
  for (const [name, text] of Object.entries(contractModule())) {
    mkdirSync(dirname(join(work, name)), { recursive: true })
    writeFileSync(join(work, name), text)
  }
}

async function bundle(work: string, folder: string): Promise<void> {
  for (const [format, extension] of [
    ['esm', '.js'],
    ['cjs', '.cjs'],
  ] as const)
    await build({
      entryPoints: { index: join(work, 'index.ts'), runs: join(work, 'runs', 'index.ts') },
      outdir: folder,
      outExtension: { '.js': extension },
      bundle: true,
      format,
      platform: 'neutral',
      target: 'es2022',
      // A program in CommonJS loads the WebSocket for Node 20 with `import` too.
      supported: { 'dynamic-import': true },
      plugins: [nodeSocketApart],
      // With long names the code would be a seventh larger; errors have names of their own.
      minify: true,
      logLevel: 'warning',
    })
  // Only Node 20 loads it, because newer Nodes and browsers have a WebSocket.
  await build({
    entryPoints: { websocket: join(sdk, 'src', 'socket', 'node-socket.ts') },
    outdir: folder,
    bundle: true,
    minify: true,
    format: 'esm',
    platform: 'node',
    target: 'node20',
    external: ['bufferutil', 'utf-8-validate'],
    banner: { js: requireInModules },
    logLevel: 'warning',
  })
  cpSync(join(root, 'node_modules', 'ws', 'LICENSE'), join(folder, 'LICENSE-ws'))
  writeFileSync(join(folder, 'no-websocket.js'), 'export const WebSocket = undefined\n')
}

/** The manifest resolves the name: to the file with `ws` for Node, to an empty one for bundlers of web pages. */
const nodeSocketApart: Plugin = {
  name: 'node-socket-apart',
  setup({ onResolve }) {
    onResolve({ filter: /node-socket\.ts$/ }, () => ({ path: '#websocket', external: true }))
  },
}

/** A CommonJS package in the bundle calls `require` for modules of Node. */
const requireInModules = `import { createRequire } from 'node:module'; const require = createRequire(import.meta.url);`

/** The declarations, with the names of the files that a consumer's compiler looks for. */
function declare(work: string, folder: string): void {
  const types = join(work, 'types')
  const options = {
    ...compilerOptions,
    rootDir: '.',
    outDir: 'types',
    typeRoots: [join(root, 'node_modules', '@types')],
  }
  writeFileSync(join(work, 'socket', 'node-socket.ts'), 'export declare const WebSocket: unknown')
  writeFileSync(
    join(work, 'tsconfig.json'),
    JSON.stringify({ compilerOptions: options, files: ['index.ts', 'runs/index.ts'] }),
  )
  const compiler = join(root, 'node_modules', 'typescript', 'bin', 'tsc')
  execFileSync(process.execPath, [compiler, '-p', work], { stdio: 'inherit' })
  for (const name of globSync('**/*.d.ts', { cwd: types })) {
    const text = readFileSync(join(types, name), 'utf8').replace(/(from '\.[^']*)\.ts'/g, "$1.js'")
    for (const kind of ['types', 'types-cjs']) {
      mkdirSync(dirname(join(folder, kind, name)), { recursive: true })
      writeFileSync(join(folder, kind, name), text)
    }
  }
  // The compiler takes declarations for those of a module or of CommonJS by the nearest manifest.
  writeFileSync(join(folder, 'types-cjs', 'package.json'), '{ "type": "commonjs" }\n')
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
    exports: {
      '.': entryOf('index', 'index'),
      './runs': entryOf('runs', 'runs/index'),
    },
    main: './index.cjs',
    types: './types/index.d.ts',
    imports: { '#websocket': { node: './websocket.js', default: './no-websocket.js' } },
    engines: { node: '>=20' },
  }
  writeFileSync(join(folder, 'package.json'), `${JSON.stringify(manifest, undefined, 2)}\n`)
  writeFileSync(join(folder, 'README.md'), packageReadme())
  mkdirSync(join(folder, 'docs'))
  const guide = readFileSync(join(root, 'docs', 'guides', 'sdk.md'), 'utf8')
  writeFileSync(join(folder, 'docs', 'sdk.md'), withoutLinks(guide))
  cpSync(join(root, 'LICENSE'), join(folder, 'LICENSE'))
}

/** A file for `import`, and one for `require`, each with declarations. */
const entryOf = (code: string, types: string) => ({
  import: { types: `./types/${types}.d.ts`, default: `./${code}.js` },
  require: { types: `./types-cjs/${types}.d.ts`, default: `./${code}.cjs` },
})

/** The README without the part about the source. Its link to the guide is the copy in the package. */
function packageReadme(): string {
  const [text = ''] = readFileSync(join(sdk, 'README.md'), 'utf8').split('\n## Source')
  return withoutLinks(text.replaceAll('../docs/guides/sdk.md', './docs/sdk.md'))
}

/** Links into the repository become text; those within the package, the page and the web stay. */
const withoutLinks = (text: string): string => text.replace(/\[([^\]]+)\]\((?!https?:|#|\.\/)[^)]*\)/g, '$1')

if (import.meta.main) {
  const folder = process.argv[2]
  if (folder === undefined) throw new Error('usage: node sdk/build.ts FOLDER')
  await buildSdk(folder)
}
