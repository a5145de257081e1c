"""The words of the corpus. All rules, people and sources are fictitious."""

LOCALES = ("en", "tr")

# Keys of practice areas; only categories of the demonstration firm that name one of them remain.
AREAS = ["corporate", "banking-and-finance", "competition", "employment", "tax",
         "data-protection", "dispute-resolution", "compliance"]

# Pages of the demonstration firm link to the first key.
MEMBERS = ["defne-yalicam"] + [f"member-{j:02}" for j in range(1, 12)]
GIVEN = ["Defne", "Mehmet", "Elif", "Can", "Zeynep", "Emre", "Deniz", "Selin", "Burak", "Ece", "Kerem", "Leyla"]
FAMILY = ["Yalıçam", "Demir", "Şahin", "Çelik", "Öztürk", "Aydın", "Arslan", "Koç", "Güneş", "Kaplan"]

WORDS = {
    "en": {
        "subject": ["The Authority", "The Board", "The court", "A controller", "The employer", "The seller",
                    "The amended regulation", "The Communiqué", "A shareholder", "The arbitral tribunal",
                    "The lender", "The tenant"],
        "verb": ["may require", "has clarified", "must disclose", "now limits", "continues to apply",
                 "expressly permits", "refused to extend", "should document", "cannot waive",
                 "is expected to revise"],
        "object": ["the notification threshold", "the transitional period", "a written undertaking",
                   "the standard contractual clauses", "the burden of proof", "any indirect transfer",
                   "the record of processing", "the minimum capital requirement", "the severance calculation",
                   "the limitation period", "its earlier decision"],
        "tail": ["within thirty days of notification", "unless the parties agree otherwise",
                 "where the turnover exceeds the stated limit", "before the closing date",
                 "as of the date of publication in the Official Gazette",
                 "in line with the practice of the Court of Cassation",
                 "even if the agreement is silent on the matter",
                 "provided that a reasoned request is filed", "without prejudice to third parties"],
        "lead": ["In practice,", "However,", "For that reason,", "By contrast,", "In addition,", "As a result,",
                 "Under Article %d,", "According to the %d decision,"],
        "heading": ["Background", "What has changed", "Who is affected", "Practical steps",
                    "Penalties and risks", "Our assessment", "Timeline", "Open questions"],
        "adjective": ["New", "Revised", "Recent", "Proposed", "Final", "Draft"],
        "noun": ["Rules on Cross-Border Transfers", "Merger Control Thresholds", "Guidance on Remote Work",
                 "Withholding Tax Amendments", "Lease Indexation Limits", "Security Interests over Movables",
                 "Disclosure Duties of Directors", "Class Action Practice", "Bank Secrecy Obligations",
                 "Concordat Procedures"],
        "columns": ["Step", "Deadline", "Responsible"],
        "who": ["Board", "Counsel", "HR", "Finance"],
        "days": "days",
        "see": "See also",
        "areas": ["Corporate and M&A", "Banking and finance", "Competition", "Employment", "Tax",
                  "Data protection", "Dispute resolution", "Compliance"],
        "roles": ["Partner", "Senior associate", "Associate", "Of counsel"],
        "home": "Yalıçam Attorneys at Law",
        "sections": {"publications": "Publications", "practice-areas": "Practice areas", "team": "Team"},
    },
    "tr": {
        "subject": ["Kurum", "Kurul", "Mahkeme", "Veri sorumlusu", "İşveren", "Satıcı", "Değişik yönetmelik",
                    "Tebliğ", "Pay sahibi", "Hakem heyeti", "Kredi veren", "Kiracı"],
        "verb": ["talep edebilir", "açıklığa kavuşturmuştur", "açıklamak zorundadır", "artık sınırlamaktadır",
                 "uygulamayı sürdürmektedir", "açıkça kabul etmektedir", "uzatmayı reddetmiştir",
                 "belgelemelidir", "göz ardı edemez", "yeniden düzenleyecektir"],
        "object": ["bildirim eşiğini", "geçiş süresini", "yazılı taahhüdü", "standart sözleşmeyi",
                   "ispat yükünü", "dolaylı devri", "veri işleme envanterini", "asgari sermaye şartını",
                   "kıdem tazminatı hesabını", "zamanaşımı süresini", "önceki kararını"],
        "tail": ["bildirimden itibaren otuz gün içinde", "taraflar aksini kararlaştırmadıkça",
                 "cironun belirtilen sınırı aşması hâlinde", "kapanış tarihinden önce",
                 "Resmî Gazete'de yayımlandığı tarih itibarıyla", "Yargıtay uygulamasıyla uyumlu biçimde",
                 "sözleşmede hüküm bulunmasa dahi", "gerekçeli başvuru yapılması kaydıyla",
                 "üçüncü kişilerin hakları saklı kalarak"],
        "lead": ["Uygulamada,", "Ancak,", "Bu nedenle,", "Buna karşılık,", "Ayrıca,", "Sonuç olarak,",
                 "Madde %d uyarınca,", "Kararın %d sayılı bendine göre,"],
        "heading": ["Arka plan", "Neler değişti", "Kimler etkileniyor", "Uygulama adımları",
                    "Yaptırımlar ve riskler", "Değerlendirmemiz", "Takvim", "Açık sorular"],
        "adjective": ["Yeni", "Güncel", "Son", "Önerilen", "Kesin", "Taslak"],
        "noun": ["Sınır Ötesi Aktarım Kuralları", "Birleşme Kontrolü Eşikleri", "Uzaktan Çalışma Rehberi",
                 "Stopaj Değişiklikleri", "Kira Artış Sınırları", "Taşınır Rehni Uygulaması",
                 "Yöneticilerin Açıklama Yükümlülüğü", "Topluluk Davası Uygulaması",
                 "Banka Sırrı Yükümlülükleri", "Konkordato Usulü"],
        "columns": ["Adım", "Süre", "Sorumlu"],
        "who": ["Yönetim", "Avukat", "İK", "Finans"],
        "days": "gün",
        "see": "Ayrıca bakınız",
        "areas": ["Şirketler ve birleşmeler", "Bankacılık ve finans", "Rekabet", "İş hukuku", "Vergi",
                  "Veri koruma", "Uyuşmazlık çözümü", "Uyum"],
        "roles": ["Ortak", "Kıdemli avukat", "Avukat", "Danışman"],
        "home": "Yalıçam Avukatlık Ortaklığı",
        "sections": {"publications": "Yayınlar", "practice-areas": "Çalışma alanları", "team": "Ekip"},
    },
}
