#!/usr/bin/env node
// The commands of the published package. CommonJS of 2015, so that an old Node also gets as far as the message.
var numbers = process.versions.node.split('.').map(Number)

if (numbers[0] < 22 || (numbers[0] === 22 && numbers[1] < 13)) {
  process.stderr.write('quipu needs Node 22.13 or newer, this is ' + process.version + '\n')
  process.exitCode = 1
} else {
  import('../dist/main.js').catch((error) => {
    console.error(error)
    process.exitCode = 1
  })
}
