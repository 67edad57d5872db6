import assert from 'node:assert/strict'
import { test } from 'node:test'
import { EventGroup } from './group.ts'
import { entry } from './testing/entries.ts'

test('a cleared group is empty and takes other events', () => {
  const group = new EventGroup()
  for (const events of [
    [entry('one', 'sealed')],
    [entry('x'.repeat(5_000_000)), entry('')],
    [entry('two')],
  ]) {
    for (const { open, sealed } of events)
      group.add((writer) => writer.copy(open), sealed && ((writer) => writer.copy(sealed)))
    assert.deepEqual(group.entries(), events)
    group.clear()
    assert.deepEqual([group.count, group.open().length, group.entries()], [0, 0, []])
  }
})

test('a record is space for its header, the open parts, the sealed parts with their indexes, and a newline', () => {
  const group = EventGroup.of([entry('é'), entry('', 'ü')])
  const { bytes, sealedBytes } = group.record(80)
  assert.equal(bytes.subarray(80).toString(), '\x02é\x00\x01\x02ü\n')
  assert.equal(sealedBytes, 4)
  assert.equal(group.open().toString(), '\x02é\x00')
})

test('an event that cannot be written leaves the group unchanged', () => {
  const group = EventGroup.of([entry('one', 'sealed')])
  const fail = () => {
    throw new Error('bug')
  }
  assert.throws(() => group.add(fail), /bug/)
  assert.throws(() => group.add((writer) => writer.byte(1), fail), /bug/)
  assert.deepEqual(group.entries(), [entry('one', 'sealed')])
})
