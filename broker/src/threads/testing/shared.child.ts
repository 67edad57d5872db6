import { threadId } from 'node:worker_threads'
import { serveUsers } from '../shared-threads.ts'

// A shared thread that sends each message back, with the name of its user.
serveUsers<string>((port, user) => {
  port.on('message', (message: string) => {
    if (message === 'die') throw new Error('died')
    if (message === 'end') port.close()
    else port.postMessage([user, message, threadId])
  })
})
