import { join } from 'node:path'
import { build, type Plugin } from 'esbuild'

const source = join(import.meta.dirname, 'src')

/** The program and its worker threads. A thread is found by its path beside the bundled modules. */
const entries = {
  main: 'main.ts',
  'walk-thread': 'journal/walk-thread.ts',
  'writer-thread': 'views/writer-thread.ts',
  'reader-thread': 'views/reader-thread.ts',
  'postgres/writer-thread': 'views/postgres/writer-thread.ts',
  'postgres/reader-thread': 'views/postgres/reader-thread.ts',
}

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
 * An import of `node:http` reads all its exports. The export `WebSocket` loads the HTTP client of Node, which costs
 * 0.07 CPU seconds of each start; a `require` loads it when it is used.
 */
const requireHttp: Plugin = {
  name: 'require-http',
  setup({ onResolve, onLoad }) {
    onResolve({ filter: /^node:http$/ }, ({ kind, path }) =>
      kind === 'import-statement' ? { path, namespace: 'require' } : null,
    )
    onLoad({ filter: /./, namespace: 'require' }, ({ path }) => ({
      contents: `module.exports = require(${JSON.stringify(path)})`,
    }))
  },
}

/** Bundles the server and its dependencies. Node starts a bundle in half the CPU time of about 800 modules. */
export async function bundleServer(folder: string): Promise<void> {
  await build({
    entryPoints: Object.entries(entries).map(([out, file]) => ({ out, in: join(source, file) })),
    outdir: folder,
    bundle: true,
    splitting: true,
    format: 'esm',
    platform: 'node',
    target: 'node24',
    external: ['pg-native'],
    plugins: [requireHttp],
    banner: { js: requireInModules },
    sourcemap: 'linked',
    logLevel: 'warning',
  })
}
