import { cpSync, mkdirSync } from 'node:fs'
import { basename, join } from 'node:path'
import { type BuildOptions, build } from 'esbuild'

/** The files that every page loads, as paths below the root of the site. */
export type Assets = {
  readonly style: string
  readonly theme: string
  readonly script: string
  readonly search: string
}

const folder = 'docs/assets'
const source = import.meta.dirname

/** Bundles styles, fonts and scripts. Their names have a hash, so browsers may keep them. */
export async function buildAssets(outDir: string): Promise<Omit<Assets, 'search'>> {
  const out = join(outDir, folder)
  mkdirSync(out, { recursive: true })
  const shared = sharedOptions(out)
  const main = await build({
    ...shared,
    entryPoints: [join(source, 'docs.css'), join(source, 'client/main.ts')],
    splitting: true,
    format: 'esm',
  })
  // A module would run after the first drawing of the page, with the wrong theme.
  const theme = await build({ ...shared, entryPoints: [join(source, 'client/theme.ts')], format: 'iife' })
  cpSync(join(source, 'icons.svg'), join(out, 'icons.svg'))
  const built = Object.entries({ ...main.metafile.outputs, ...theme.metafile.outputs })
  const pathOf = (entry: string): string => {
    const found = built.find(([, { entryPoint }]) => entryPoint?.endsWith(entry))
    if (found === undefined) throw new Error(`${entry}: not built`)
    return `${folder}/${basename(found[0])}`
  }
  return { style: pathOf('docs.css'), theme: pathOf('theme.ts'), script: pathOf('main.ts') }
}

const sharedOptions = (outdir: string) =>
  ({
    outdir,
    entryNames: '[name]-[hash]',
    chunkNames: '[name]-[hash]',
    assetNames: '[name]-[hash]',
    bundle: true,
    minify: true,
    target: ['es2022', 'chrome111', 'firefox115', 'safari16.4'] as string[],
    loader: { '.woff2': 'file' },
    metafile: true,
    logLevel: 'warning',
  }) as const satisfies BuildOptions
