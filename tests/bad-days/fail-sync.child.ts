import fs from 'node:fs'
import { isMainThread } from 'node:worker_threads'

// Loaded into the real program before it starts: after each SIGUSR2, the next fdatasync fails as on a bad disk.
if (isMainThread) {
  const { fdatasync } = fs
  let fails = 0
  process.on('SIGUSR2', () => {
    fails += 1
    process.stderr.write('the next sync fails\n')
  })
  fs.fdatasync = ((file: number, done: fs.NoParamCallback) => {
    if (fails === 0) return fdatasync(file, done)
    fails -= 1
    setImmediate(done, Object.assign(new Error('EIO: i/o error, fdatasync'), { code: 'EIO' }))
  }) as typeof fs.fdatasync
}
