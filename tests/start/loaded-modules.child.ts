import { appendFileSync } from 'node:fs'
import { registerHooks } from 'node:module'

/** Appends the URL of every loaded module to the file in LOADED_MODULES. */
const file = process.env['LOADED_MODULES']!
registerHooks({
  load(url, context, next) {
    appendFileSync(file, `${url}\n`)
    return next(url, context)
  },
})
