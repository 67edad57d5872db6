import fs, { appendFileSync } from 'node:fs'
import { registerHooks, syncBuiltinESMExports } from 'node:module'

/** Appends the URL of every loaded module, and the path of every table that is read, to the file in LOADED_MODULES. */
const file = process.env['LOADED_MODULES']!
registerHooks({
  load(url, context, next) {
    appendFileSync(file, `${url}\n`)
    return next(url, context)
  },
})

const { readFileSync } = fs
fs.readFileSync = ((path: string, ...options: never[]) => {
  if (String(path).endsWith('tickers.txt')) appendFileSync(file, `${path}\n`)
  return readFileSync(path, ...options)
}) as typeof readFileSync
syncBuiltinESMExports()
