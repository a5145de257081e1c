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
";

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
fn the_forms_of_a_turkish_word_meet() {
    groups(Locale::Tr, TURKISH);
}

#[test]
fn the_forms_of_an_english_word_meet() {
    groups(Locale::En, ENGLISH);
}

#[test]
fn different_words_stay_apart() {
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
    for [first, second] in
        [["kira", "kiracı"], ["dava", "davalı"], ["veri", "vergi"], ["iş", "işçi"], ["marka", "market"]]
    {
        assert_ne!(stem(Locale::Tr, &fold(first)), stem(Locale::Tr, &fold(second)), "{first} {second}");
    }
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
    fn a_stem_is_never_empty(word in "[a-z]{1,24}") {
        for locale in Locale::ALL {
            prop_assert!(!stem(locale, &word).is_empty());
        }
    }
}
