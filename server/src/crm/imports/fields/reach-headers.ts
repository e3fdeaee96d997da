import { headersIn } from './own-headers.ts'

/** Headers of the contact data of persons and companies. Headers of the parts of one address are at the same rank. */
export const reachHeaders = {
  phone: headersIn(
    `phone # value, mobile phone, mobile phone number, mobile, cell phone, phone number, phone, phone #, primary phone,
     phone mobile, phone work, phone home, phone other, business phone, business phone #, work phone, company main phone,
     home phone, home phone #, other phone, telephone, tel, tel cell, tel work, tel home, tel type cell, tel type work,
     tel type home, mobiltelefon, mobiltelefonnummer, mobiltelefon #, mobilnummer, mobil, handy, telefon, telefonnummer,
     telefon #, haupttelefon, telefon mobil, telefon büro, telefon arbeit, telefon geschäftlich, telefon geschäftlich #,
     telefon firma, telefon privat, telefon privat #, telefon sonstige, weiteres telefon, sonstiges telefon,
     мобильный телефон, мобильный, телефон переносной, телефон, номер телефона, телефон #, основной телефон,
     телефон мобильный, телефон рабочий, рабочий телефон, телефон раб #, основной телефон организации, домашний телефон,
     телефон домашний, телефон дом #, телефон другой, другой телефон`,
  ),
  email: headersIn(
    `e mail # value, email, email address, e mail address, e mail, email #, e mail # address, email work, email home,
     email other, primary email, secondary email, work email, email internet, email type internet, email type work,
     email type home, email # value, e mail adresse, e mail # adresse, e mail büro, e mail arbeit, e mail privat,
     e mail sonstige, zweite e mail, электронная почта, адрес электронной почты, адрес эл почты, адрес # эл почты,
     эл почта, почта, имейл, эл почта рабочая, эл почта домашняя, эл почта другая, электронная почта рабочая,
     электронная почта домашняя, дополнительный адрес эл почты, дополнительная эл почта`,
  ),
  'address.line1': headersIn(
    `address # street, mailing street, street address, business street, billing street, street, home street,
     address line #, postal address, address, adr, straße geschäftlich, postanschrift straße, straße postanschrift,
     rechnungsanschrift straße, straße rechnungsanschrift, straße und hausnummer, straße, straße privat, anschrift,
     adresse, улица раб адрес, почтовый адрес улица, улица почтовый адрес, улица, улица дом адрес, почтовый адрес, адрес`,
  ),
  'address.line2': headersIn(
    `address # extended address, street address #, business street #, street #, home street #, straße geschäftlich #,
     adresszusatz, straße #, straße privat #, улица # раб адрес, дополнительный адрес, улица # дом адрес`,
  ),
  'address.city': headersIn(
    `address # city, mailing city, city, business city, billing city, home city, ort geschäftlich, postanschrift ort,
     ort postanschrift, postanschrift stadt, stadt postanschrift, rechnungsanschrift ort, ort rechnungsanschrift,
     rechnungsanschrift stadt, stadt, ort, ort privat, город раб адрес, почтовый адрес город, город почтовый адрес,
     город, город дом адрес`,
  ),
  'address.region': headersIn(
    `address # region, mailing state province, mailing state, state region, state, business state,
     billing state province, billing state, home state, province, region geschäftlich,
     postanschrift bundesland provinz, bundesland provinz postanschrift, postanschrift bundesland,
     rechnungsanschrift bundesland, bundesland region, bundesland, region, bundesland kanton geschäftlich,
     bundesland kanton privat, область раб адрес, почтовый адрес область, область почтовый адрес, область, регион, край,
     область дом адрес`,
  ),
  'address.postalCode': headersIn(
    `address # postal code, mailing zip postal code, mailing postal code, mailing zip, postal code, zip, zip code,
     business postal code, billing zip postal code, billing postal code, billing code, mailing code, home postal code,
     postleitzahl geschäftlich, postanschrift plz, plz postanschrift, postanschrift postleitzahl,
     rechnungsanschrift plz, plz rechnungsanschrift, plz, postleitzahl, postleitzahl privat, индекс раб адрес,
     почтовый индекс раб адрес, почтовый адрес индекс, индекс почтовый адрес, почтовый индекс, индекс,
     почтовый код дом`,
  ),
  'address.country': headersIn(
    `address # country, mailing country, country region, country, business country region, business country,
     billing country, home country region, land region geschäftlich, postanschrift land, land postanschrift,
     rechnungsanschrift land, land rechnungsanschrift, land region, land, land region privat,
     страна или регион раб адрес, страна раб адрес, почтовый адрес страна, страна почтовый адрес, страна регион, страна,
     страна или регион дом адрес, страна дом адрес`,
  ),
  description: headersIn(
    'description, notes, note, notizen, anmerkungen, beschreibung, заметки, примечания, примечание, описание, комментарий',
  ),
  source: headersIn(
    `source, lead source, original source, quelle, lead quelle, leadquelle, источник, источник интереса,
     источник обращения`,
  ),
  tags: headersIn(
    'tags, tag, labels, label, categories, group membership, schlagwörter, kategorien, теги, тег, метки, метка, категории',
  ),
}
