import iconv from 'iconv-lite'
import { describe, expect, it } from 'vitest'
import { ByteSample } from './byte-sample.ts'
import { decode } from './decoder.ts'
import { guessEncoding } from './guess-encoding.ts'

const header = 'Name;Company;Street;City;Phone\r\n'

/** Rows of small address books, as people in these countries have them. */
const tables: Readonly<Record<string, string>> = {
  German: `Jürgen Groß;Bäckerei Müller GmbH;Königstraße 12;Köln|Anna Weiß;Schröder & Söhne;Am Mühlbach 3;München|Uwe Krämer;Möbel Götz;Goethestr. 7;Würzburg
Käthe Schäfer;Autohaus Jäger;Lange Gasse 1;Nürnberg|Björn Voß;Höfer AG;Uferweg 9;Lübeck|Petra Lang;Büro für Baurecht;Hauptstr. 5;Göttingen`,
  French: `Zoë Lefèvre;Société Générale du Bois;12 rue de l'Église;Besançon|François Hervé;Boulangerie Noël;Allée des Chênes;Orléans|Chloé Béranger;Café du Marché;3 quai Saint-André;Sète
Benoît Cœur;Hôtel Bellevue;Impasse du Château;Nîmes|Aurélie Giraud;Les Frères Dupré;Rue Émile Zola;Angoulême|Jérôme Cartier;Garage Thévenot;Place de la Forêt;Évreux`,
  Spanish: `José Muñoz;Construcciones Ibáñez;Calle Mayor 4;Logroño|María Núñez;Panadería Peña;Avenida de España 10;Málaga|Íñigo Rodríguez;Talleres Gómez;Plaza Simón Bolívar;Córdoba
Begoña Sánchez;Asociación de Vecinos;Paseo del Río;Cádiz|Ángel Ruiz;Logística Andalucía;Calle Jardín 2;Jaén|Lucía Fernández;Óptica Martín;Camino Real;Ávila`,
  Portuguese: `João Gonçalves;Construções Araújo;Rua da Conceição 5;São Paulo|Conceição Magalhães;Padaria Pão Quente;Avenida Brasília;Maceió|Luís Simões;Irmãos Brandão;Praça da Estação;Guimarães
Inês Falcão;Farmácia São João;Travessa do Açude;Viseu|Sebastião Leitão;Comércio de Móveis;Rua José Estêvão;Évora|Mônica Assunção;Associação Comercial;Alameda dos Anjos;Niterói`,
  Danish: `Søren Kjær;Østergaard & Sønner;Nørregade 8;Århus|Åse Højgaard;Bageriet på Hjørnet;Sølvgade 3;Helsingør|Jørgen Bæk;Skærbæk Møbler;Åboulevarden 1;København
Bjørn Ågård;Ørsted Maskiner;Vestre Allé;Sønderborg|Kåre Dahl;Rør og Gæs;Købmagergade;Næstved|Mette Krogh;Fiskehuset Ærø;Strandvejen 4;Ærøskøbing`,
  Swedish: `Björn Åkesson;Östergrens Måleri;Storgatan 3;Malmö|Åsa Lindström;Bröderna Höglund AB;Kungsgatan 11;Göteborg|Göran Sjöberg;Västerås Bygg;Älvvägen 2;Örebro
Märta Öberg;Frisör Stina;Skolgatan 9;Skövde|Håkan Nyström;Åkeri i Norr;Järnvägsgatan;Luleå|Kerstin Häll;Tandläkare Ek;Köpmangatan;Umeå`,
  Finnish: `Päivi Mäkinen;Leipomo Hyvä Päivä;Hämeenkatu 3;Jyväskylä|Jörn Hämäläinen;Törmän Kone Oy;Mäntytie 5;Järvenpää|Väinö Lehtimäki;Sähkötyö Niemelä;Väylä 1;Hämeenlinna
Erkki Öhman;Pöytä ja Tuoli;Itäkatu;Mäntsälä|Sirkka Vääräniemi;Rautakauppa Sepänmäki;Kylätie 8;Äänekoski|Pentti Kärkkäinen;Hyvinkään Hitsaus;Seppälänkatu;Kemijärvi`,
  Polish: `Łukasz Wiśniewski;Piekarnia Złoty Kłos;ul. Świętokrzyska 4;Łódź|Małgorzata Dąbrowska;Usługi Księgowe;ul. Żeromskiego 12;Kraków|Paweł Jabłoński;Zakład Stolarski Sęk;al. Wojska;Poznań
Zdzisław Górski;Hurtownia Świat Książki;ul. Kościuszki 3;Gdańsk|Agnieszka Źródło;Spółka Mleczna;pl. Wolności;Wrocław|Stanisław Ćwik;Biuro Podróży;ul. Długa 8;Rzeszów`,
  Czech: `Jiří Dvořák;Pekařství Šťastný;Náměstí Míru 3;Plzeň|Šárka Nováková;Stavby Růžička;Žižkova 15;Brno|Zdeněk Černý;Truhlářství Kříž;U Řeky 2;Žďár nad Sázavou
Lenka Zelená;Květiny Anežka;Dlouhá 7;České Budějovice|Ondřej Přibyl;Účetnictví Hrušková;Mlýnská 1;Děčín|Věra Bílá;Tiskárna Šimek;Lidická;Uherské Hradiště`,
  Slovak: `Ľuboš Kováč;Pekáreň Žitný klas;Štúrova 4;Košice|Katarína Šťastná;Stavby Ďurica;Námestie slobody;Žilina|Marián Líška;Autoservis Dolný;Železničná 8;Trenčín
Božena Krajčíová;Kvety Ľalia;Hlavná 3;Prešov|Štefan Hudák;Účtovníctvo Mlynár;Kúpeľná;Bardejov|Zuzana Čierna;Tlačiareň Ruža;Májová;Liptovský Mikuláš`,
  Hungarian: `Szűcs Gábor;Kőműves és Társa;Petőfi utca 3;Győr|Kovács Tünde;Pékség a Főtéren;Rákóczi út 12;Pécs|Németh Örs;Könyvelő Iroda;Árpád fejedelem útja;Székesfehérvár
Tőkés Erzsébet;Virágüzlet;Kossuth tér;Hódmezővásárhely|Bíró Ágnes;Ügyvédi Iroda;Dózsa György út;Sümeg|Fülöp Zoltán;Szabó Műhely;Erdő sor;Budaörs`,
  Croatian: `Željko Horvatić;Pekara Žito;Ulica kneza Branimira 3;Šibenik|Đurđica Perišić;Građevina Čačić;Trg bana Jelačića;Zagreb|Saša Kovačević;Prijevoz Šimić;Vukovarska 8;Čakovec
Božidar Đurić;Stolarija Hrašće;Školska ulica;Karlovac|Višnja Marić;Cvjećarnica Ruža;Lovćenska;Požega|Krešimir Šarić;Vodoopskrba;Cvjetno naselje;Đakovo`,
  Romanian: `Ştefan Ionescu;Brutăria Pâine Caldă;Strada Mihai Viteazul 3;Bucureşti|Ioana Ţurcanu;Construcţii Bălan;Calea Călăraşilor;Iaşi|Răzvan Dănilă;Tâmplăria Stejarul;Şoseaua Kiseleff;Timişoara
Mădălina Ştirbu;Florăria Crângaşi;Piaţa Unirii;Braşov|Cătălin Văcaru;Transporturi Făgăraş;Aleea Viilor;Galaţi|Sînziana Târnăveanu;Croitoria Acul;Bd. Ştefan cel Mare;Râmnicu Vâlcea`,
  Turkish: `Ayşe Yıldız;Güneş İnşaat;Atatürk Caddesi 5;İstanbul|Çağrı Özdemir;Şahin Nakliyat;Kızılay Meydanı;Eskişehir|Gökhan Işık;Uğur Mobilya;Bağdat Caddesi;Kırşehir
Şule Aydın;Çiçek Dükkânı;Yeşilköy Sokak;Muğla|İbrahim Koç;Doğan Gıda;Şehitler Yolu;Iğdır|Tuğba Çelik;Eğitim Merkezi;Göztepe Mahallesi;Ağrı`,
  Russian: `Анна Петрова;ООО «Ромашка»;ул. Ленина 5;Москва|Юрий Щербаков;Хлебозавод;Невский проспект;Санкт-Петербург|Ольга Жукова;ИП Соловьёв;пер. Зелёный;Тюмень
Фёдор Чехов;Автосервис;ш. Энтузиастов;Ижевск|Эльвира Цой;Цветы у дома;наб. Мойки;Казань|Игорь Шульц;Бухгалтерия;пл. Мира;Воронеж`,
  Ukrainian: `Олена Шевченко;ТОВ «Їжак»;вул. Хрещатик 1;Київ|Юрій Ґедзь;Пекарня Смак;вул. Івана Франка;Львів|Єва Лисенко;Меблі Затишок;просп. Перемоги;Чернівці
Тарас Їжакевич;Квіти;вул. Соборна;Вінниця|Зоя Щербина;Аптека;пл. Ринок;Рівне|Микола Бойко;Авторемонт;вул. Шкільна;Полтава`,
  Bulgarian: `Георги Димитров;Хлебозавод Тракия;бул. Витоша 12;София|Йорданка Цветкова;Строител ООД;ул. Шипка;Пловдив|Любомир Желев;Цветарница;пл. Свобода;Търново
Стоянка Ангелова;Аптека Здраве;ул. Ивайло;Бургас|Христо Щерев;Мебели Дъб;жк. Младост;Русе|Яна Кръстева;Счетоводство;ул. Гурко;Варна`,
  Greek: `Γιώργος Παπαδόπουλος;Φούρνος ο Ήλιος;Λεωφόρος Αλεξάνδρας 5;Αθήνα|Ελένη Άγγελου;Τεχνική Εταιρεία;Οδός Ερμού;Θεσσαλονίκη|Νίκος Δημητρίου;Έπιπλα Ξύλο;Πλατεία Αγοράς;Πάτρα
Μαρία Ιωάννου;Ανθοπωλείο;Οδός Όθωνος;Χανιά|Άννα Καραγιάννη;Λογιστικό Γραφείο;Ακτή Μιαούλη;Πειραιάς|Θάνος Ψαρράς;Μεταφορές;Οδός Ύδρας;Λάρισα`,
  Latvian: `Jānis Bērziņš;Maiznīca Rūķis;Brīvības iela 5;Rīga|Zigrīda Kļaviņa;Celtnieks SIA;Lāčplēša iela;Jūrmala|Kārlis Ozoliņš;Mēbeles Ķirsis;Skolas iela;Liepāja
Ģirts Žagars;Ziedu veikals;Tērbatas iela;Valmiera|Šarlote Siliņa;Grāmatvedība;Vienības gatve;Cēsis|Uldis Zariņš;Autoserviss;Krišjāņa iela;Rēzekne`,
  Hebrew: `דוד כהן;מאפיית השחר;רחוב הרצל 5;תל אביב|שרה לוי;בנייה ופיתוח;דרך יפו;ירושלים|יעקב מזרחי;רהיטי האלון;רחוב ביאליק;חיפה
רחל אברהם;פרחי הגליל;שדרות רוטשילד;צפת|משה פרץ;הובלות הדרום;רחוב הנביאים;אילת|מרים ביטון;הנהלת חשבונות;רחוב האורן;עכו`,
  Arabic: `محمد العلي;شركة النور;شارع الملك فهد;الرياض|فاطمة حسن;مخبز السلام;طريق المطار;جدة|خالد منصور;مؤسسة البناء;شارع الجامعة;عمان
ليلى إبراهيم;زهور الربيع;حي الزهراء;دمشق|يوسف أحمد;نقليات الشرق;شارع التحرير;القاهرة|سعاد قاسم;مكتب المحاسبة;ساحة الحرية;بيروت`,
  Japanese: `佐藤太郎;株式会社山田商店;千代田区丸の内1;東京都|鈴木花子;有限会社みどり;中央区銀座2;東京都|高橋健一;田中工業;北区梅田3;大阪市
渡辺さくら;ベーカリー朝日;博多区4;福岡市|小林誠;小林会計事務所;青葉区5;仙台市|加藤美咲;花屋ひまわり;中区栄6;名古屋市`,
  Korean: `김철수;주식회사 한빛;세종대로 1;서울|이영희;햇살 베이커리;해운대로 2;부산|박민수;대한건설;중앙로 3;대구
최지우;꽃집 봄날;예술회관로 4;인천|정우성;한강물류;대덕대로 5;대전|강하늘;우리회계사무소;상무대로 6;광주`,
  'Chinese (simplified)': `王伟;北京光明食品有限公司;长安街1号;北京市|李娜;上海建筑工程公司;南京路2号;上海市|张敏;广州家具厂;中山路3号;广州市
刘洋;春天花店;人民路4号;成都市|陈静;东方运输公司;解放路5号;武汉市|杨帆;诚信会计事务所;建设路6号;西安市`,
  'Chinese (traditional)': `王偉;光明食品有限公司;中山北路一段;台北市|林淑芬;大安建設公司;民權路二段;台中市|陳志明;東方家具行;成功路三號;高雄市
黃美玲;春天花店;復興路四段;台南市|張家豪;永安運輸公司;中正路五號;新竹市|吳雅婷;誠信會計事務所;和平東路;基隆市`,
  Thai: `สมชาย ใจดี;บริษัท แสงทอง;ถนนสุขุมวิท 5;กรุงเทพฯ|มาลี ศรีสุข;ร้านขนมปังอรุณ;ถนนเชียงใหม่;เชียงใหม่|วิชัย บุญมี;ก่อสร้างไทย;ถนนราชดำเนิน;ขอนแก่น
อรุณี ทองคำ;ร้านดอกไม้;ถนนพระราม;ภูเก็ต|ประเสริฐ แก้วใส;ขนส่งสยาม;ถนนมิตรภาพ;อุดรธานี|สุดา พงษ์ไทย;สำนักงานบัญชี;ถนนเพชรเกษม;สงขลา`,
}

const west = ['windows-1252', 'iso-8859-15', 'macintosh', 'ibm850'] as const
const centre = ['windows-1250', 'iso-8859-2', 'ibm852', 'x-mac-ce'] as const
const cyrillic = ['windows-1251', 'koi8-r', 'ibm866', 'iso-8859-5', 'x-mac-cyrillic'] as const

/** The encodings in which programs of each country have saved tables. */
const encodingsOf: Readonly<Record<string, readonly string[]>> = {
  ...Object.fromEntries(
    ['German', 'French', 'Spanish', 'Portuguese', 'Danish', 'Swedish', 'Finnish'].map(name => [name, west]),
  ),
  ...Object.fromEntries(['Polish', 'Czech', 'Slovak', 'Hungarian', 'Croatian', 'Romanian'].map(name => [name, centre])),
  Turkish: ['windows-1254', 'ibm857'],
  Russian: cyrillic,
  Ukrainian: ['windows-1251', 'koi8-u', 'x-mac-cyrillic'],
  Bulgarian: ['windows-1251', 'iso-8859-5', 'ibm866'],
  Greek: ['windows-1253', 'iso-8859-7'],
  Latvian: ['windows-1257'],
  Hebrew: ['windows-1255'],
  Arabic: ['windows-1256', 'iso-8859-6'],
  Japanese: ['shift_jis', 'euc-jp'],
  Korean: ['euc-kr'],
  'Chinese (simplified)': ['gb18030'],
  'Chinese (traditional)': ['big5'],
  Thai: ['windows-874'],
}

/** What the library calls an encoding, where that is not its name. */
const libraryNames: Readonly<Record<string, string>> = {
  'euc-kr': 'cp949',
  'x-mac-ce': 'maccenteuro',
  'x-mac-cyrillic': 'maccyrillic',
}

const encoded = (text: string, encoding: string) => iconv.encode(text, libraryNames[encoding] ?? encoding)

async function guessOf(bytes: Buffer) {
  const sample = new ByteSample()
  sample.add(bytes)
  return guessEncoding(sample.end())
}

const rowsOf = (language: string) => (tables[language] ?? '').split(/[|\n]/u).map(row => `${row};+1 202 555 0143\r\n`)

/** The tables of a language with this many rows each. */
function tablesOf(language: string, rows: number): string[] {
  const all = rowsOf(language)
  const starts = Array.from({ length: all.length / rows }, (_, index) => index * rows)
  return starts.map(start => header + all.slice(start, start + rows).join(''))
}

/** How many tables there are in all languages and encodings, and those of which the encoding is guessed wrong. */
async function guessAll(rows: number): Promise<{ all: number; wrong: string[] }> {
  let all = 0
  const wrong: string[] = []
  for (const [language, encodings] of Object.entries(encodingsOf)) {
    for (const encoding of encodings) {
      for (const table of tablesOf(language, rows)) {
        const bytes = encoded(table, encoding)
        const guess = await guessOf(bytes)
        all += 1
        if (decode(bytes, guess.encoding) !== decode(bytes, encoding))
          wrong.push(`${language}: ${encoding} as ${guess.encoding}`)
      }
    }
  }
  return { all, wrong }
}

describe('the encoding of names and addresses is guessed', () => {
  it('right for every table of six rows, in 26 languages', async () => {
    expect(await guessAll(6)).toEqual({ all: 77, wrong: [] })
  })

  it('right for 450 of 462 tables of one row', async () => {
    expect(await guessAll(1)).toEqual({
      all: 462,
      wrong: [
        'Spanish: windows-1252 as windows-1250',
        'Spanish: iso-8859-15 as windows-1250',
        'Spanish: macintosh as x-mac-ce',
        'Spanish: ibm850 as ibm852',
        'Czech: iso-8859-2 as windows-1250',
        'Croatian: ibm852 as ibm850',
        'Turkish: windows-1254 as windows-1252',
        ...Array.from({ length: 4 }, () => 'Russian: x-mac-cyrillic as windows-1251'),
        'Chinese (simplified): gb18030 as euc-jp',
      ],
    })
  })

  it.each([
    ['windows-1252', 'J\u00F6rg;K\u00F6ln'],
    ['windows-1252', 'Ren\u00E9e;1'],
    ['windows-1252', '\u20AC 5;1'],
    ['windows-1251', 'Анна;1'],
    ['koi8-r', 'Анна;Москва'],
  ])('as %s for %j, of which other encodings make the same or less', async (encoding, row) => {
    expect(await guessOf(encoded(`Name;City\r\n${row}\r\n`, encoding))).toMatchObject({ encoding })
  })

  it('with the other encoding that gives the next likely text', async () => {
    const table = tablesOf('Czech', 6).join('')
    expect(await guessOf(encoded(table, 'windows-1250'))).toEqual({ encoding: 'windows-1250', other: 'iso-8859-2' })
  })

  it('by the lines that are not ASCII, wherever they are in a large file', async () => {
    const sample = new ByteSample()
    const chunk = Buffer.from('Anna;Acme Ltd;Main Street 1;London;5\r\n'.repeat(1700))
    for (let count = 0; count < 400; count += 1) sample.add(chunk)
    sample.add(encoded(rowsOf('Polish').join(''), 'ibm852'))
    expect(await guessEncoding(sample.end())).toMatchObject({ encoding: 'ibm852' })
  })
})

describe('a sample of the bytes of a text', () => {
  const most = 128 * 1024 + 32 * 1024

  it.each([
    ['lines', encoded(rowsOf('Russian').join('').repeat(100), 'windows-1251')],
    ['one endless line', Buffer.alloc(64 * 1024, 0xe4)],
    ['one endless line of cells', Buffer.from('\u00E4\u00E4\u00E4;'.repeat(16_000), 'latin1')],
  ])('has a bounded size, here of %s', (_name, chunk) => {
    const sample = new ByteSample()
    for (let count = 0; count < 500; count += 1) sample.add(chunk)
    const { head, lines } = sample.end()
    expect(lines.length).toBeGreaterThan(30 * 1024)
    expect(head.length + lines.length).toBeLessThan(most)
  })

  it('has no part of a character of a line that two chunks have, or that is cut', () => {
    const text = '山田;花子\n'.repeat(20_000)
    const bytes = iconv.encode(text, 'eucjp')
    const sample = new ByteSample()
    for (let at = 0; at < bytes.length; at += 10_001) sample.add(bytes.subarray(at, at + 10_001))
    const { head, lines } = sample.end()
    expect(decode(head, 'euc-jp') + decode(lines, 'euc-jp')).toMatch(/^(?:山田;(?:花子)?\n?)+$/u)
  })
})
