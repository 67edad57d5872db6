import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type RowChoice, type RowColumn, RowOrder } from '../../web/src/parts/table/row-order.ts'

type Item = { readonly id: string; readonly price: number; readonly name: string }

const names = ['Apple', 'Coca-Cola', 'Microsoft']
const itemAt = (index: number): Item => ({
  id: `item-${index}`,
  price: (index * 7919) % 101,
  name: names[index % names.length]!,
})

/** Columns that count what is computed. */
function counting() {
  const counts = { keys: 0, texts: 0 }
  const column = (id: keyof Item): RowColumn<Item> => ({
    id,
    key: (item) => {
      counts.keys += 1
      return item[id]
    },
    text: (item) => {
      counts.texts += 1
      return String(item[id])
    },
  })
  return { counts, columns: [column('id'), column('price'), column('name')] }
}

/** Rows that are filtered and sorted as a whole. */
const plain = (rows: readonly Item[], { filter, sorts }: RowChoice<Item>): readonly Item[] =>
  rows
    .filter((item) => Object.values(item).join('\n').toLowerCase().includes(filter))
    .toSorted((a, b) => {
      for (const { id, isDown } of sorts) {
        const [left, right] = [a[id as keyof Item], b[id as keyof Item]]
        if (left !== right) return left < right === isDown ? 1 : -1
      }
      return 0
    })

test('rows that change one after the other are ordered as if all were sorted again', () => {
  const { columns } = counting()
  const order = new RowOrder<Item>()
  let rows = Array.from({ length: 300 }, (_, index) => itemAt(index))
  const choices: readonly RowChoice<Item>[] = [
    { sorts: [{ id: 'price', isDown: true }], filter: '' },
    { sorts: [{ id: 'name', isDown: false }], filter: '' },
    {
      sorts: [
        { id: 'name', isDown: true },
        { id: 'price', isDown: false },
      ],
      filter: 'co',
    },
    { sorts: [], filter: 'item-1' },
  ].map((choice) => ({ ...choice, columns, allColumns: columns }))
  for (let step = 0; step < 400; step += 1) {
    const choice = choices[Math.floor(step / 40) % choices.length]!
    const at = (step * 37) % rows.length
    const changed = { ...rows[at]!, price: (step * 53) % 101 }
    if (step % 4 === 0) rows = [...rows, itemAt(300 + step)]
    else if (step % 4 === 1) rows = rows.toSpliced(at, 1)
    else if (step % 4 === 2) rows = rows.with(at, changed)
    else rows = [...rows.toSpliced(at, 1), changed]
    assert.deepEqual(order.update(rows, choice), plain(rows, choice))
  }
})

test('a change of three of 10,000 rows computes the keys and texts of three rows', () => {
  const { counts, columns } = counting()
  const order = new RowOrder<Item>()
  const choice = { columns, allColumns: columns, filter: 'item', sorts: [{ id: 'price', isDown: false }] }
  const rows = Array.from({ length: 10_000 }, (_, index) => itemAt(index))
  order.update(rows, choice)
  assert.deepEqual(counts, { keys: 10_000, texts: 30_000 })
  const next = [...rows.with(5, { ...rows[5]!, price: 3 }).slice(1), itemAt(10_000), itemAt(10_001)]
  const before = order.update(next, choice)
  assert.deepEqual(counts, { keys: 10_003, texts: 30_009 })
  // Rows that did not change are the same list, so nothing is drawn for them.
  assert.equal(order.update([...next], choice), before)
  order.update(next, { ...choice, filter: 'apple' })
  assert.deepEqual(counts, { keys: 10_003, texts: 30_009 })
})

test('the keys of a live column are computed for each change', () => {
  const { columns } = counting()
  let sign = 1
  const live: RowColumn<Item> = { ...columns[1]!, isLive: true, key: ({ price }) => sign * price }
  const choice = { columns: [live], allColumns: [live], filter: '', sorts: [{ id: 'price', isDown: false }] }
  const order = new RowOrder<Item>()
  const rows = [itemAt(1), itemAt(2), itemAt(3)]
  const up = order.update(rows, choice)
  sign = -1
  assert.deepEqual(order.update(rows, choice), up.toReversed())
})
