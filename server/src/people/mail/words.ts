/** What a mail says around its link. */
interface MailWords {
  readonly subject: string
  /** The paragraph before the link. */
  readonly before: string
  /** The words of the link itself. */
  readonly link: string
  /** The paragraphs behind it. */
  readonly after: readonly string[]
}

interface Language {
  reset(email: string): MailWords
  invitation(organization: string, until: string): MailWords
}

/** The mails in each language of the pages. */
export const mailLanguages = {
  en: {
    reset: email => ({
      subject: 'A new password for the CRM',
      before: `Somebody asked for a new password for the account ${email}. This link lets you choose one:`,
      link: 'Choose a password',
      after: [
        'It is good once, for an hour. A link that came before no longer is.',
        'If it was not you, there is nothing to do: the password stays as it is.',
      ],
    }),
    invitation: (organization, until) => ({
      subject: `Invitation to ${organization}`,
      before: `You are invited to work in the CRM of ${organization}. This link lets you join:`,
      link: 'Join',
      after: [
        `It is good once, until ${until}.`,
        'If you do not know who invites you, there is nothing to do: nothing happens without you.',
      ],
    }),
  },
  de: {
    reset: email => ({
      subject: 'Ein neues Passwort für das CRM',
      before: `Jemand hat ein neues Passwort für das Konto ${email} angefordert. Mit diesem Link lässt es sich festlegen:`,
      link: 'Passwort festlegen',
      after: [
        'Er gilt einmal, eine Stunde lang. Ein früherer Link gilt nicht mehr.',
        'Wer das nicht war, muss nichts tun: Das Passwort bleibt, wie es ist.',
      ],
    }),
    invitation: (organization, until) => ({
      subject: `Einladung zu ${organization}`,
      before: `Sie sind eingeladen, im CRM von ${organization} mitzuarbeiten. Mit diesem Link treten Sie bei:`,
      link: 'Beitreten',
      after: [
        `Er gilt einmal, bis ${until}.`,
        'Wenn Sie nicht wissen, wer Sie einlädt, müssen Sie nichts tun: Ohne Sie geschieht nichts.',
      ],
    }),
  },
  ru: {
    reset: email => ({
      subject: 'Новый пароль для CRM',
      before: `Кто-то запросил новый пароль для учётной записи ${email}. По этой ссылке его можно задать:`,
      link: 'Задать пароль',
      after: [
        'Ссылка действует один раз, в течение часа. Прежняя ссылка больше не действует.',
        'Если это были не вы, ничего делать не нужно: пароль останется прежним.',
      ],
    }),
    invitation: (organization, until) => ({
      subject: `Приглашение в «${organization}»`,
      before: `Вас приглашают работать в CRM организации «${organization}». По этой ссылке можно присоединиться:`,
      link: 'Присоединиться',
      after: [
        `Ссылка действует один раз, до ${until}.`,
        'Если вы не знаете, кто вас приглашает, ничего делать не нужно: без вас ничего не произойдёт.',
      ],
    }),
  },
} as const satisfies Readonly<Record<string, Language>>
