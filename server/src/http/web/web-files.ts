import { readdirSync, readFileSync, statSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { basename, dirname, extname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { brotliDecompress, gunzip, gunzipSync, gzip } from 'node:zlib'

/** What the build wrote about each file: `web/build/build-web.ts`. */
type BuiltFile = {
  /** Default: HTML, because most files are pages. */
  readonly type?: string
  readonly hash: string
  readonly immutable?: true
  /** The file is stored compressed, with the further suffix `.gz`. */
  readonly gzip?: true
  /** The file with the same content that exists instead. */
  readonly storedAs?: string
  /** The file is a part of `pages.br`: its first byte and its length, after decompression. */
  readonly packed?: readonly [start: number, length: number]
}
type Manifest = { readonly screens: readonly string[]; readonly files: Readonly<Record<string, BuiltFile>> }

/** The file of an address. */
export type WebFile = BuiltFile & {
  readonly name: string
  readonly type: string
  /** The way from the address back to the dashboard, such as `../`. Only for its page. */
  readonly base?: string
}

const HTML = 'text/html; charset=utf-8'

const builtFolder = fileURLToPath(
  new URL(extname(import.meta.url) === '.ts' ? '../../../../web/dist' : './web', import.meta.url),
)

const PAGES_KEPT_MS = 60_000

/** The built dashboard and documentation. A build while the server runs is found with the next page. */
export class WebFiles {
  readonly #folder: string
  #manifest: Manifest | undefined
  #readMs = 0
  #pages: Promise<Buffer> | undefined
  #forgetting: NodeJS.Timeout | undefined

  constructor(folder = builtFolder) {
    this.#folder = folder
  }

  /** Whether there is a build. */
  get isBuilt(): boolean {
    return this.#read() !== undefined
  }

  /** Whether a build is under way. It writes into a folder beside, whose name ends with the number of its process. */
  get isBeingBuilt(): boolean {
    const name = basename(this.#folder)
    return readdirSync(dirname(this.#folder)).some((other) => {
      const [, pid] = /-(\d+)$/.exec(other) ?? []
      return pid !== undefined && other === `${name}-${pid}` && isRunning(Number(pid))
    })
  }

  /** The file of a path such as `/orders/1` or `/docs/guides/sdk`. */
  find(path: string): WebFile | undefined {
    const manifest = this.#read()
    if (manifest === undefined || hasEmptyPart(path)) return undefined
    const relative = path.slice(1)
    for (const name of [
      relative,
      `${relative}.html`,
      relative === '' ? 'index.html' : `${relative}/index.html`,
    ]) {
      const file = Object.hasOwn(manifest.files, name) ? manifest.files[name] : undefined
      if (file !== undefined && name !== 'index.html') return { type: HTML, ...file, name }
    }
    const [first = '', ...rest] = relative.split('/')
    const page = manifest.files['index.html']
    if (page === undefined || !manifest.screens.includes(first)) return undefined
    return { type: HTML, ...page, name: 'index.html', base: '../'.repeat(rest.length) || './' }
  }

  /** The bytes of a file, compressed if the client accepts it. */
  async bytesOf(
    { name, base, gzip, storedAs = name, packed }: WebFile,
    accepted: string,
  ): Promise<{ readonly bytes: Uint8Array; readonly encoding?: 'gzip' }> {
    if (packed !== undefined) {
      const [start, length] = packed
      const bytes = (await this.#unpack()).subarray(start, start + length)
      return acceptsGzip(accepted) ? { bytes: await zip(bytes), encoding: 'gzip' } : { bytes }
    }
    const bytes = await readFile(join(this.#folder, gzip ? `${storedAs}.gz` : storedAs))
    if (base !== undefined)
      return { bytes: Buffer.from(String(bytes).replace('<base href="./">', `<base href="${base}">`)) }
    if (!gzip) return { bytes }
    return acceptsGzip(accepted) ? { bytes, encoding: 'gzip' } : { bytes: await unzip(bytes) }
  }

  /** All pages of the documentation. They stay in memory for a minute after the last one was read. */
  #unpack(): Promise<Buffer> {
    this.#pages ??= readFile(join(this.#folder, 'pages.br')).then((bytes) => decompress(bytes))
    clearTimeout(this.#forgetting)
    this.#forgetting = setTimeout(() => this.#forget(), PAGES_KEPT_MS).unref()
    return this.#pages
  }

  #forget(): void {
    this.#pages = undefined
  }

  #read(): Manifest | undefined {
    const file = join(this.#folder, 'manifest.json.gz')
    const writtenMs = statSync(file, { throwIfNoEntry: false })?.mtimeMs
    if (writtenMs === undefined) return undefined
    if (writtenMs !== this.#readMs) {
      this.#manifest = JSON.parse(gunzipSync(readFileSync(file)).toString('utf8'))
      this.#readMs = writtenMs
      this.#forget()
    }
    return this.#manifest
  }
}

/** Such an address is none of ours: the browser would take relative links in its page for other addresses. */
export const hasEmptyPart = (path: string): boolean => path.includes('//')

function isRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0)
  } catch {
    return false
  }
}

const unzip = promisify(gunzip)
const zip = promisify(gzip)
const decompress = promisify(brotliDecompress)

/** Whether an Accept-Encoding header has gzip, and not with `q=0`. */
const acceptsGzip = (accepted: string): boolean => /\bgzip\b(?!\s*;\s*q=0(\.0*)?\s*(,|$))/i.test(accepted)
