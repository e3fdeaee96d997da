import { type Command, Option } from 'commander'
import type { ChangeEvent } from 'crm-sdk/schemas'
import { followFeed } from '../feed/follow-feed.ts'
import type { Invocation } from '../invocation.ts'
import { callNames, forward } from '../listening/forward.ts'
import { listenerFile, readListener, writeListener } from '../listening/listener-file.ts'
import { Receiver } from '../listening/receiver.ts'
import { recordOf } from '../listening/shown-record.ts'
import { configurationFolder } from '../profiles.ts'
import { severalKinds, wishFrom } from './changes.ts'

interface ListenOptions {
  readonly forwardTo: string
  readonly body: 'thin' | 'full'
  readonly kinds?: readonly string[]
  readonly from?: string
  readonly skipMissing?: boolean
}

/** `crm webhooks listen`: sends a receiver what a webhook of the server would send it. */
export function addWebhooksCommand(program: Command, invocation: Invocation): void {
  program
    .command('webhooks')
    .description('try receivers of webhooks')
    .command('listen')
    .description(
      'post each event to a receiver on this machine, signed, as a webhook of the server would, until a signal ends it',
    )
    .requiredOption('--forward-to <url>', 'the receiver, such as http://localhost:8080/hook')
    .option('--kinds <kinds>', 'events such as deal.* or deal.won: all about records unless given', severalKinds)
    .addOption(
      new Option('--body <form>', 'thin: the event; full: with the record as it is now')
        .choices(['thin', 'full'])
        .default('thin'),
    )
    .option(
      '--from <cursor>',
      'begin after this cursor of the feed, or now: where the last time has ended, or now, unless given',
    )
    .option('--skip-missing', 'go on when events are gone, instead of ending with the status 6')
    .action(async (options: ListenOptions, command: Command) => {
      const wish = wishFrom(options.kinds)
      const receiver = new Receiver(options.forwardTo)
      const output = invocation.outputOf(command, callNames)
      const { url } = await invocation.connectionOf(command)
      const crm = await invocation.crmOf(command)
      const { application } = await crm.capabilities.get()
      const file = listenerFile(configurationFolder(invocation.shell), url, application.id, options.forwardTo)
      let listener = await readListener(file)
      await writeListener(file, listener)
      const tell = (text: string) => invocation.tell(command, text)
      tell(`the secret of the receiver is ${listener.secret}`)
      const { from } = options
      if (from !== undefined) listener = { ...listener, position: from === 'now' ? null : { cursor: from, seq: 0 } }
      tell(
        `sending ${listener.position === null ? 'events from now on' : 'what has come since the last time'} to ${options.forwardTo}`,
      )

      const signal = invocation.shell.interruption()
      const forwarding = {
        listener,
        receiver,
        ...(options.body === 'full' && { show: (event: ChangeEvent) => recordOf(crm, event) }),
        signal,
        print: (call: object) => output.page([call]),
      }
      const followed = { wish, start: listener.position, signal, skipsMissing: options.skipMissing === true, tell }
      try {
        await followFeed(
          crm,
          followed,
          event => forward(event, forwarding),
          position => writeListener(file, { ...listener, position }),
        )
      } finally {
        receiver.close()
      }
    })
}
