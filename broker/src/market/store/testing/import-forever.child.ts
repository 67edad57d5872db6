import { writeSync } from 'node:fs'
import { makeRows } from '../rows.ts'
import { openStore } from '../store.ts'

// For the test that kills this process: each import raises every bar of two series by one and is printed once it is stored.
const [folder, rowsText] = process.argv.slice(2)
const count = Number(rowsText)
const store = openStore(folder!)
const rows = makeRows('bars', count)
rows.count = count
for (let number = (store.list()[0]?.read({}, 1).numbers[0]?.[0] ?? 0) + 1; ; number++) {
  for (let row = 0; row < count; row++) {
    rows.micros[row] = row * 60_000_000
    for (const column of rows.numbers) column[row] = number
  }
  const writer = store.write({ rowsInMemory: count / 3 })
  for (const symbol of ['AAPL', 'BTC/USD'])
    writer.series({ kind: 'bars', frame: '1Min', symbol }).add(rows, 0, count)
  writer.commit()
  writeSync(1, `${number}\n`)
}
