// The network of the replicas drill: what it holds, passes on late, and breaks off.
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'
import { after, test } from 'node:test'
import { BOTH, type Link, openLink } from '../../../testkit/proxies/link.ts'

type Ends = { readonly near: Socket; readonly far: Socket; readonly link: Link }

const closing: (() => unknown)[] = []
after(() => Promise.all(closing.map(close => close())))

const openEnds = async (): Promise<Ends> => {
  const server = createServer({ allowHalfOpen: true })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const link = await openLink((server.address() as AddressInfo).port)
  const accepted = once(server, 'connection') as Promise<[Socket]>
  const near = connect({ port: link.port, host: '127.0.0.1', allowHalfOpen: true })
  await once(near, 'connect')
  const [far] = await accepted
  for (const socket of [near, far]) socket.setEncoding('latin1').on('error', () => undefined)
  closing.push(
    () => near.destroy(),
    () => far.destroy(),
    () => link.close(),
    () => server.close(),
  )
  return { near, far, link }
}

// Not by once() of node:events, which takes the error before the close for a failure.
const closed = (socket: Socket): Promise<unknown> => new Promise(resolve => socket.once('close', resolve))

const received = async (socket: Socket): Promise<string> => {
  const [text] = (await once(socket, 'data')) as [string]
  return text
}

/** Waits as long as bytes take over a link that nobody holds. */
const letTimePass = async (): Promise<void> => {
  const { near, far } = await openEnds()
  near.write('time passes')
  await received(far)
}

test('a link passes bytes on, there and back', async () => {
  const { near, far } = await openEnds()
  near.write('question')
  assert.equal(await received(far), 'question')
  far.write('answer')
  assert.equal(await received(near), 'answer')
})

test('a link that is held one way passes the other way, and what it held once it is let go', async () => {
  const { near, far, link } = await openEnds()
  const letGo = link.hold(['back'])
  const heard: string[] = []
  near.on('data', text => heard.push(String(text)))
  near.write('one')
  assert.equal(await received(far), 'one')
  far.write('first ')
  // Another question there and on the far side proves that time has passed for the first answer.
  near.write('two')
  assert.equal(await received(far), 'two')
  far.write('second')
  assert.deepEqual(heard, [])
  letGo()
  while (heard.join('') !== 'first second') await once(near, 'data')
})

test('a link that two hold is let go by the second', async () => {
  const { near, far, link } = await openEnds()
  const [first, second] = [link.hold(BOTH), link.hold(['there'])]
  const heard: string[] = []
  far.on('data', text => heard.push(String(text)))
  near.write('late')
  first()
  far.write('back')
  assert.equal(await received(near), 'back')
  await letTimePass()
  assert.deepEqual(heard, [])
  second()
  while (heard.join('') !== 'late') await once(far, 'data')
})

test('a link that holds back bytes does not show that the other side is gone, until it is released', async () => {
  const { near, far, link } = await openEnds()
  const letGo = link.hold(BOTH)
  far.resetAndDestroy()
  await closed(far)
  await letTimePass()
  assert.equal(near.destroyed, false)
  letGo()
  await closed(near)
})

test('a link that is half closed ends what goes there, and still brings the answer back', async () => {
  const { near, far, link } = await openEnds()
  near.write('question')
  await received(far)
  far.resume()
  link.halfClose()
  await once(far, 'end')
  far.write('answer')
  assert.equal(await received(near), 'answer')
})

test('a link that is reset breaks off both sides', async () => {
  const { near, far, link } = await openEnds()
  near.write('question')
  await received(far)
  const ends = Promise.all([closed(near), closed(far)])
  link.reset()
  await ends
})
