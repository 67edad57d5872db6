import { appendFileSync } from 'node:fs'
import { registerHooks } from 'node:module'

/** Writes down every module that this process loads, in a file that the environment names. */
const file = process.env['LOADED_MODULES']!
registerHooks({
  load(url, context, next) {
    appendFileSync(file, `${url}\n`)
    return next(url, context)
  },
})
