import { hash } from 'node:crypto'
import {
  existsSync,
  globSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { extname, join, sep } from 'node:path'
import { brotliCompressSync, constants, gzipSync } from 'node:zlib'
import { build as bundle } from 'esbuild'
import { build } from 'vite'
import { buildDocs } from '../docs/build.ts'
import { SYMBOLS_PATH, screens } from '../src/screens.table.ts'

/** A built file as the server needs to know it. */
type BuiltFile = {
  /** Default: HTML. */
  readonly type?: string
  /** Of the content, for caches. */
  readonly hash: string
  /** The name contains a hash of the content, so that it never changes. */
  readonly immutable?: true
  /** Only a file with the further suffix `.gz` exists. */
  readonly gzip?: true
  /** The file with the same content that exists instead. */
  readonly storedAs?: string
  /** The content is a part of the packed pages: its first byte and its length. */
  readonly packed?: readonly [start: number, length: number]
}

type Described = readonly (readonly [name: string, file: BuiltFile])[]

/** What the server reads to serve the folder. */
export type Manifest = {
  /** First parts of screen addresses; all show the same page. */
  readonly screens: readonly string[]
  readonly files: Readonly<Record<string, BuiltFile>>
}

/** The page of all screens. The server changes its base, so it is not compressed. */
const PAGE = 'index.html'

const types: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.json': 'application/json',
  '.svg': 'image/svg+xml',
  '.webp': 'image/webp',
  '.md': 'text/markdown; charset=utf-8',
  '.txt': 'text/plain; charset=utf-8',
  '.woff2': 'font/woff2',
}

/**
 * How well pages are compressed. 5: 1.0 MB in 0.3 s, 9: 0.86 MB in 1.2 s, 10: a tenth less than 9 in six times as long.
 * Only packages take the time.
 */
type Packing = { readonly quality?: 5 | 10 }

/** Builds into a folder beside, and then replaces the old build, so that a running server never sees half of one. */
export async function buildWeb(folder: string, packing: Packing = {}): Promise<void> {
  const work = `${folder}-${process.pid}`
  try {
    await build({
      configFile: join(import.meta.dirname, '..', 'vite.config.ts'),
      logLevel: 'warn',
      build: { outDir: work, emptyOutDir: true },
    })
    await buildDocs(work)
    await buildPasskeys(work)
    writeNotices(join(work, 'notices.txt'))
    writeManifest(work, packing)
    replace(folder, work)
  } finally {
    rmSync(work, { recursive: true, force: true })
  }
}

/** The script of the sign-in pages with passkeys: one file, which is not a part of the dashboard. */
const buildPasskeys = (folder: string) =>
  bundle({
    entryPoints: [join(import.meta.dirname, '..', 'src', 'passkeys.ts')],
    outfile: join(folder, 'passkeys.js'),
    bundle: true,
    format: 'esm',
    target: 'es2022',
    minify: true,
    logLevel: 'warning',
  })

/** Another build may have replaced the folder a moment ago; the last one wins. */
function replace(folder: string, built: string): void {
  for (let attempt = 0; ; attempt++) {
    rmSync(folder, { recursive: true, force: true })
    try {
      return renameSync(built, folder)
    } catch (error) {
      if (attempt === 9) throw error
    }
  }
}

function writeManifest(folder: string, packing: Packing): void {
  mkdirSync(folder, { recursive: true })
  const names = globSync('**', { cwd: folder })
    .filter((name) => statSync(join(folder, name)).isFile())
    .map((name) => name.split(sep).join('/'))
    .sort()
  const isPacked = (name: string) => /^docs\/.*\.(html|md|json)$/.test(name)
  const described = names
    .filter((name) => !isPacked(name))
    .map((name) => [name, describe(folder, name)] as const)
  const files = Object.fromEntries([
    ...withoutCopies(folder, described),
    ...pack(folder, names.filter(isPacked), packing),
  ])
  const manifest: Manifest = { screens: [...screens.map(({ path }) => path), SYMBOLS_PATH], files }
  writeFileSync(join(folder, 'manifest.json.gz'), gzipSync(JSON.stringify(manifest)))
}

/** The dashboard and the documentation use the same fonts: one of two equal files stays. */
function withoutCopies(folder: string, described: Described): Described {
  const stored = new Map<string, string>()
  return described.map(([name, file]) => {
    const storedAs = stored.get(file.hash)
    if (storedAs === undefined) {
      stored.set(file.hash, name)
      return [name, file]
    }
    rmSync(join(folder, file.gzip ? `${name}.gz` : name))
    return [name, { ...file, storedAs }]
  })
}

/**
 * Compresses the pages of the documentation together: they have much in common, so they take 0.5 instead of 2.8 MB. Pages of
 * the same kind are neighbours.
 */
function pack(folder: string, names: readonly string[], { quality = 5 }: Packing): Described {
  const ordered = names.toSorted((a, b) => extname(a).localeCompare(extname(b)))
  let start = 0
  const parts: Buffer[] = []
  const files = ordered.map((name) => {
    const bytes = readFileSync(join(folder, name))
    parts.push(bytes)
    const packed = [start, bytes.length] as const
    const file = { ...typeOf(name), hash: hashOf(bytes), ...immutability(name), packed }
    start += bytes.length
    rmSync(join(folder, name))
    return [name, file] as const
  })
  const params = {
    [constants.BROTLI_PARAM_QUALITY]: quality,
    [constants.BROTLI_PARAM_LGWIN]: constants.BROTLI_MAX_WINDOW_BITS,
    [constants.BROTLI_PARAM_SIZE_HINT]: start,
  }
  writeFileSync(join(folder, 'pages.br'), brotliCompressSync(Buffer.concat(parts), { params }))
  return files
}

/** The content type of a file that is no page; pages are most of the files. */
function typeOf(name: string): Pick<BuiltFile, 'type'> {
  const type = types[extname(name)]
  if (type === undefined) throw new Error(`${name}: add its content type to web/build/build-web.ts`)
  return extname(name) === '.html' ? {} : { type }
}

/** The name contains a hash of the content. */
const immutability = (name: string): Pick<BuiltFile, 'immutable'> =>
  /^(docs\/)?assets\/.*-[\w-]{8}\.\w+$/.test(name) ? { immutable: true } : {}

const hashOf = (bytes: Uint8Array): string => hash('sha256', bytes, 'base64url').slice(0, 16)

function describe(folder: string, name: string): BuiltFile {
  const content = hashOf(readFileSync(join(folder, name)))
  const isCompressed = !/\.(woff2|webp)$/.test(name) && name !== PAGE && compress(join(folder, name))
  return {
    ...typeOf(name),
    hash: content,
    ...immutability(name),
    ...(isCompressed && { gzip: true }),
  }
}

/**
 * Replaces the file by a compressed one, unless it is so small that this saves nothing. Brotli would save a further 10 %,
 * but browsers accept it only over https.
 */
function compress(file: string): boolean {
  const bytes = readFileSync(file)
  if (bytes.length < 400) return false
  writeFileSync(`${file}.gz`, gzipSync(bytes, { level: 9 }))
  rmSync(file)
  return true
}

const packages = join(import.meta.dirname, '..', '..', 'node_modules')

/** The libraries and fonts inside the built dashboard. */
const shipped = [
  'preact',
  '@preact/signals',
  '@preact/signals-core',
  'lightweight-charts',
  'fancy-canvas',
  'minisearch',
  '@simplewebauthn/browser',
  '@fontsource-variable/inter',
  '@fontsource-variable/jetbrains-mono',
] as const

/** Writes the licences of what the dashboard contains. */
function writeNotices(file: string): void {
  const texts = shipped.map((name) => {
    const { version, license } = JSON.parse(readFileSync(join(packages, name, 'package.json'), 'utf8'))
    const found = ['LICENSE', 'LICENSE.md', 'LICENSE.txt', 'NOTICE'].filter((part) =>
      existsSync(join(packages, name, part)),
    )
    const parts = found.map((part) => readFileSync(join(packages, name, part), 'utf8').trim())
    return `${name} ${version} (${license})\n\n${parts.join('\n\n')}`
  })
  writeFileSync(file, `${texts.join(`\n\n${'-'.repeat(80)}\n\n`)}\n`)
}
