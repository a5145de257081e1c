use contract::Locale;
use proptest::prelude::*;

use super::stem;
use crate::fold;

/// Each line: forms of one word.
const TURKISH: &str = "
dava davalar davalarında davanın davası davayı davada davadan davalarının
sözleşme sözleşmesi sözleşmesinin sözleşmeler sözleşmelerin sözleşmede sözleşmelerde sözleşmeyi sözleşmeye
çalışma çalışmalar çalışmanın çalışması çalışmak çalışan çalışanlar çalışanların
izin izni izinleri iznin izinler iznine
hukuk hukuku hukukun hukukunda hukuki hukukumuz
iş işi işin işe işler işten işte
şirket şirketler şirketin şirketlerde şirketi şirketlerinin şirkete şirketten
vergi vergisi vergiler verginin vergide vergilerin
kıdem kıdemi kıdemin
tazminat tazminatı tazminatının tazminatlar tazminata tazminattan
kira kiranın kirası kiralar kirada
marka markanın markalar markası markayı
sermaye sermayesi sermayenin sermayeyi
veri verileri verilerin verisi verilerinin veriler
işveren işverenin işverenler işverene işverenlerin
ortak ortaklar ortağı ortağın ortaklık ortaklığı
haciz haczi haczin hacizler
karar kararı kararlar kararının kararın karara
rekabet rekabetin rekabette rekabete rekabetten
birleşme birleşmeler birleşmenin birleşmesi
kanun kanunu kanunun kanunda kanunlar kanununda
satış satışı satışın satışlar satışta
vekil vekile vekilin vekiller vekille
talep talebi talepler talebin
hak hakkı hakları hakkın haklar
fesih feshi feshin fesihte
uyuşmazlık uyuşmazlığı uyuşmazlıklar uyuşmazlıkların uyuşmazlığın
mahkeme mahkemesi mahkemeler mahkemede mahkemenin
iflas iflası iflasın
zaman zamanı zamanında zamanlar
pay payı payın paylar payların paya
ekip ekibi ekibimiz ekipler
miras mirası mirasın mirasta
tahkim tahkimi tahkimin tahkimde
hakem hakemler hakemin hakemi hakeme hakemlerden
hâkim hâkimler hâkimin hâkime
hüküm hükmü hükmün hükümler hükümlerin hükmünde
madde maddesi maddesinin maddenin maddeler
kişi kişinin kişiye kişiler kişilerin
birlik birliği birliğin birlikler
zamanaşımı zamanaşımının zamanaşımına
boşanma boşanmada boşanmanın boşanan boşanmak
kadın kadının kadınlar kadınların
metin metni metnin metinler
rehin rehni rehnin rehinler
güvenlik güvenliği güvenliğin
kurum kurumu kuruma kurumun kurumlar
dönem dönemi döneme dönemin dönemler
yasa yasanın yasalar yasaya
hakkımızda hakkınızda
toplama toplanan toplanması
istem istemi istenmesi isteyen istemek
resim resmi resmin resimler
taşıma taşımak taşıyan
soruşturma soruşturmanın soruşturmak
yaşam yaşamı yaşamak
açma açmak açmayı açmaktan açmakla
ödeme ödemek ödemesi ödemenin ödemekten
satma satmak satmaya satmaktan
artış artışı artışın artan artıran artırım artırımı artırmak artırdı arttıran arttırdım artırılması
etik etiği etiğin etiğe etiğine
kuruluş kuruluşu kuruluşun kuruluşlar
Almanca Almancanın Almancayı
Paris Pariste Paristeki
çıkarma çıkarmak çıkarıldım çıkarılması
Azerbaycan Azerbaycanda Azerbaycanın
";

/// Pairs of words that must not share a stem.
const APART: &str = "kira kiracı, dava davalı, veri vergi, iş işçi, marka market,
hâkim hak, hakem hak, hakem hâkim, hakkında hak, hakkındaki hak, hakkımızda hak, Kanada kanun, Kanada kan, kanun kan,
birlik bir, birliği biri, birlikte birlik, birim bir, birey bir, kadın kat, tahkim tahkik, hüküm hukuk, hükümet hüküm,
hükümlü hüküm, yarım yarı, kasım kas, kasım kasıt, resim resen, yönetmelik yönetim, zamanaşımı zaman, zaman zam,
madde maden, madde maddi, medeni metin, maliye mal, maliyet maliye, yasa yaş, yaşam yasa, ifade ifa, irade İran,
başkan başka, başkan baskı, bakan bakım, bakiye bakım, polis poliçe, tahsil tahsis, tahliye tahlil, tebliğ tepe,
tebligat tebliğ, mahkûm mahkeme, kurum kur, kurulum kurul, konum konu, toplum toplu, topluluk toplu, toplam toplum,
ölüm olma, doğum doğu, dönem dön, gündem gün, güneş gün, güvenlik güvence, güvenlik güven, sağlık sağ, sağlık sağlama,
saklama sağlama, sağlama sağlam, yasama yasa, kimlik kim, kişi kısa, kısım kişi, ilke ilk, ilgi ilk, insan inşa, istem iş, işten istenmesi, sorun soru,
soruşturma soru, Suriye süre, Eylül eylem, Haziran hazır, Aralık ara, çevre çeviri, gerekçe gerek, dilekçe dilek,
yazılım yazılı, yapay yapı, tasarım tasarı, girişim giriş, ayrım ayrıca, varlık var, vatandaş vade, tarih tarhı,
rehin reha, boşanma boş, kaza kazanç, tapu tabi, verim veri, sanayi saniye, hamile hamil, makam makine, kesin kesim,
kıdem kit, özellik özel, taşıma taş, beyan bey, Paris para, Bakü bakış, Bakü bağ, Milano millî, Almanca alma, Amman amme, Kudüs kutu, Pekin pek, Kore koruma, Ermenistan erme, İbranice ibra,
Almanca alım, kuruluş kurul, kuruluş kurma, hata hat, sade satış, baskı baskın, baskı başka, baskın başka, etik etki,
ardından artış, emek emekli, Karadeniz kâr, Akdeniz ak, oturum oturuyor";

/// English pairs of words that must not share a stem.
const ENGLISH_APART: &str = "several severance, general generation, publication public, customer custom,
instalment installation, installment installation, international internal, collective collect,
terminal termination, severally severance, generally generation";

const ENGLISH: &str = "
contract contracts contracted contracting
employ employed employment employing
lease leases leased leasing
file files filed filing
arbitration arbitral arbitrate arbitrations
transfer transfers transferred transferring
company companies
notify notified notifies
stop stopped stopping
registration registrations
injunction injunctions
dispute disputes disputed
pledge pledges pledged pledging
dismissal dismissals dismiss dismissed
publication publications
instalment instalments installment installments
general generally
several severally
secondment secondments seconded
competent competence
";

fn groups(locale: Locale, table: &str) {
    let mut apart = Vec::new();
    for line in table.lines().filter(|line| !line.is_empty()) {
        let stems: Vec<String> = line.split(' ').map(|word| stem(locale, &fold(word))).collect();
        if stems.iter().any(|stem| *stem != stems[0]) {
            apart.push(format!("{line}: {stems:?}"));
        }
    }
    assert!(apart.is_empty(), "{apart:#?}");
}

#[test]
fn forms_of_a_turkish_word_share_a_stem() {
    groups(Locale::Tr, TURKISH);
}

#[test]
fn forms_of_an_english_word_share_a_stem() {
    groups(Locale::En, ENGLISH);
}

#[test]
fn different_words_have_different_stems() {
    for table in [TURKISH, ENGLISH] {
        let locale = if table == TURKISH { Locale::Tr } else { Locale::En };
        let words: Vec<&str> =
            table.lines().filter_map(|line| line.split(' ').next()).filter(|w| !w.is_empty()).collect();
        for (at, first) in words.iter().enumerate() {
            for second in &words[at + 1..] {
                assert_ne!(stem(locale, &fold(first)), stem(locale, &fold(second)), "{first} {second}");
            }
        }
    }
    for (locale, pairs) in [(Locale::Tr, APART), (Locale::En, ENGLISH_APART)] {
        for pair in pairs.split(',').map(str::trim) {
            let (first, second) = pair.split_once(' ').unwrap();
            assert_ne!(stem(locale, &fold(first)), stem(locale, &fold(second)), "{pair}");
        }
    }
}

#[test]
fn stop_words_have_a_stem_of_their_own() {
    for (common, other) in
        [("hakkında", "hak"), ("var", "varış"), ("yok", "yoğunluk"), ("önce", "öncelik"), ("bey", "beya")]
    {
        assert_ne!(stem(Locale::Tr, &fold(common)), stem(Locale::Tr, &fold(other)), "{common} {other}");
    }
    assert_eq!(stem(Locale::Tr, "avukat"), stem(Locale::Tr, "avukatlarin"), "the only words of a query count");
}

#[test]
fn numbers_and_other_scripts_are_their_own_stems() {
    for word in ["6698", "12a", "договоры", "is", ""] {
        assert_eq!(stem(Locale::Tr, word), word);
        assert_eq!(stem(Locale::En, word), word);
    }
}

proptest! {
    #[test]
    fn stem_is_never_empty(word in "[a-z]{1,24}") {
        for locale in Locale::ALL {
            prop_assert!(!stem(locale, &word).is_empty());
        }
    }
}
