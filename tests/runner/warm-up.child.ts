import { globSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'

// Loads every product module once, so that the compile cache has them before many processes load them at once.
const root = join(import.meta.dirname, '..', '..')
const modules = globSync('{core,contract,sdk,broker,server,cli}/src/**/*.ts', { cwd: root }).filter(
  (file) => !/testing\/|\.(spec|child)\.ts$|-thread\.ts$|^cli\/src\/main\.ts$/.test(file),
)
for (const file of modules) await import(pathToFileURL(join(root, file)).href)
