import { cpSync, mkdirSync, writeFileSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { build, buildSync, type Metafile, type Plugin, transform } from 'esbuild'

const root = join(import.meta.dirname, '..')

/** The program, the server as a library, and the worker threads. A thread is found by its path beside the bundled modules. */
const entries = {
  main: 'cli/src/main.ts',
  index: 'server/src/index.ts',
  'audit-thread': 'broker/src/world/audit/audit-thread.ts',
  'backup-thread': 'broker/src/backup/backup-thread.ts',
  'history-thread': 'server/src/history/history-thread.ts',
  'sqlite/writer-thread': 'broker/src/query-tables/sqlite/writer-thread.ts',
  'sqlite/reader-thread': 'broker/src/query-tables/sqlite/reader-thread.ts',
  'sqlite/snapshot-thread': 'broker/src/query-tables/sqlite/snapshot-thread.ts',
  'postgres/writer-thread': 'broker/src/query-tables/postgres/writer-thread.ts',
  'postgres/reader-thread': 'broker/src/query-tables/postgres/reader-thread.ts',
  'postgres/snapshot-thread': 'broker/src/query-tables/postgres/snapshot-thread.ts',
}

/** What `quipu run` loads into a Node program. */
const programParts = ['official-hosts', 'world-time', 'lock-step'] as const
type ProgramPart = (typeof programParts)[number]

/**
 * CommonJS packages in the bundle call `require` for modules of Node, and try optional packages. `createRequire` would
 * do the same, but loads ten modules of Node in each thread.
 */
const requireInModules = `const require = (name) => {
  const found = process.getBuiltinModule(name);
  if (found === undefined) throw Object.assign(new Error('Cannot find module ' + name), { code: 'MODULE_NOT_FOUND' });
  return found;
};`

/**
 * A `require` loads these modules of Node when the importing module runs, an import loads them before any module runs.
 * `node:http`: an import reads all exports, and the export `WebSocket` loads the HTTP client of Node, which costs 0.07 CPU
 * seconds of each start. `node:sqlite`: Node 22 prints its warning before `hide-sqlite-warning.js` could run.
 */
const requireLate: Plugin = {
  name: 'require-late',
  setup({ onResolve, onLoad }) {
    onResolve({ filter: /^node:(http|sqlite)$/ }, ({ kind, path }) =>
      kind === 'import-statement' ? { path, namespace: 'require' } : null,
    )
    onLoad({ filter: /./, namespace: 'require' }, ({ path }) => ({
      contents: `module.exports = require(${JSON.stringify(path)})`,
    }))
  },
}

/** Shortens the local names of libraries. Our names stay, so that stack traces can be read. */
const shortenLibraries: Plugin = {
  name: 'shorten-libraries',
  setup({ onLoad }) {
    onLoad({ filter: /\/node_modules\/.*\.[cm]?js$/ }, async ({ path }) => {
      const { code } = await transform(await readFile(path, 'utf8'), { minifyIdentifiers: true })
      return { contents: code }
    })
  },
}

/**
 * Bundles the server and its dependencies, and returns what is inside. Node starts a bundle in half the CPU time of about
 * 800 modules.
 */
export async function bundleServer(folder: string, { sourcemap = true } = {}): Promise<Metafile> {
  const { metafile } = await build({
    entryPoints: Object.entries(entries).map(([out, file]) => ({ out, in: join(root, file) })),
    outdir: folder,
    bundle: true,
    splitting: true,
    format: 'esm',
    platform: 'node',
    target: 'node22.13',
    // Modules without CommonJS, where a library has both: what nobody uses is left out.
    mainFields: ['module', 'main'],
    external: ['pg-native'],
    inject: [join(import.meta.dirname, 'bin', 'hide-sqlite-warning.js')],
    plugins: [requireLate, ...(sourcemap ? [] : [shortenLibraries])],
    banner: { js: requireInModules },
    sourcemap: sourcemap && 'linked',
    // This saves a quarter of the package.
    minifyWhitespace: !sourcemap,
    minifySyntax: !sourcemap,
    metafile: true,
    logLevel: 'warning',
  })
  cpSync(join(root, 'scenarios'), join(folder, 'scenarios'), { recursive: true })
  mkdirSync(join(folder, 'program'))
  for (const part of programParts) writeFileSync(join(folder, 'program', `${part}.cjs`), bundleProgram(part))
  return metafile
}

/** A script that sets the variable `part` to the exports of a part of `quipu run`. */
export function bundleProgram(part: ProgramPart): string {
  const { outputFiles } = buildSync({
    entryPoints: [join(import.meta.dirname, 'src', 'run', 'program', `${part}.ts`)],
    bundle: true,
    write: false,
    format: 'iife',
    globalName: 'part',
    platform: 'node',
    // The program may run on an older Node than ours.
    target: 'node18',
    minifySyntax: true,
    minifyWhitespace: true,
    logLevel: 'warning',
  })
  return outputFiles[0]!.text
}
