// The first module of every thread in the bundle. Node 22 warns that its SQLite is experimental: nothing a user can act on.
const { emitWarning } = process

process.emitWarning = (warning, ...options) => {
  if (!String(warning).startsWith('SQLite is an experimental feature'))
    Reflect.apply(emitWarning, process, [warning, ...options])
}
