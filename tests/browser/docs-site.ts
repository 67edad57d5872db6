import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { gunzipSync } from 'node:zlib'
import { WebFiles } from '../../server/src/http/web/web-files.ts'
import { builtWeb } from '../support/web-build.ts'

/** The documentation as the server serves it: the built files, and the text of each file of the documentation. */
export type BuiltDocs = { readonly web: WebFiles; readonly files: ReadonlyMap<string, string> }

let built: Promise<BuiltDocs> | undefined

/** All specs of a process read the build once. */
export function builtDocs(): Promise<BuiltDocs> {
  built ??= read()
  return built
}

async function read(): Promise<BuiltDocs> {
  const folder = builtWeb()
  const web = new WebFiles(folder)
  const manifest = JSON.parse(String(gunzipSync(readFileSync(join(folder, 'manifest.json.gz')))))
  // The other files are of the dashboard.
  const names = Object.keys(manifest.files).filter((name) => /^(docs\b|llms\.txt$|icon\.svg$)/.test(name))
  const textOf = async (name: string) => String((await web.bytesOf(web.find(`/${name}`)!, '')).bytes)
  const files = await Promise.all(names.map(async (name) => [name, await textOf(name)] as const))
  return { web, files: new Map(files) }
}
