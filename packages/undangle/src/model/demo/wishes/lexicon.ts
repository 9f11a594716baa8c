/**
 * What wishes and tools speak of, in words of both languages. `thing`: what is dealt with. `doing`: what changes something, and
 * is done only where the wish says so. `looking`: what most tools do, so that it says little about one. `hint`: what is said beside
 * anything.
 */
export interface Concept {
  readonly kind: "thing" | "doing" | "looking" | "hint";
  readonly english: string;
  readonly chinese: string;
}

/** The small dictionary of the demo model. */
export const lexicon = {
  read: {
    kind: "looking",
    english: "read open show view look get fetch check tell display load give see",
    chinese: "读取 阅读 查看 看看 看一下 打开 显示 告诉 读 看",
  },
  list: { kind: "looking", english: "list ls enumerate", chinese: "列出 列表 列一下" },
  search: {
    kind: "looking",
    english: "search find lookup query google browse",
    chinese: "搜索 查找 查询 检索 搜一下 查一下 搜 找 查",
  },
  send: { kind: "doing", english: "send reply forward post", chinese: "发送 回复 转发 发给 寄给 发 寄 写信" },
  pay: {
    kind: "doing",
    english: "pay payment transfer remit refund",
    chinese: "付款 转账 支付 汇款 付钱 打款 转给 交费 缴费 退款 付 转",
  },
  delete: {
    kind: "doing",
    english: "delete remove erase clear drop discard unlink purge",
    chinese: "删除 删掉 删了 移除 清除 清空 删",
  },
  write: {
    kind: "doing",
    english: "write save edit update change modify set replace",
    chinese: "写入 保存 编辑 修改 更新 更改 改成 设置 写",
  },
  create: {
    kind: "doing",
    english: "create add make new insert append",
    chinese: "创建 新建 添加 增加 新增 加入 加上",
  },
  run: { kind: "doing", english: "run execute start launch", chinese: "运行 执行 启动" },
  buy: { kind: "doing", english: "buy order purchase shop", chinese: "购买 下单 订购 买" },
  book: { kind: "doing", english: "book reserve reservation booking", chinese: "预订 预约 预定 订" },
  cancel: { kind: "doing", english: "cancel revoke abort", chinese: "取消 撤销 撤回" },
  deploy: { kind: "doing", english: "deploy release publish restart", chinese: "部署 发布 上线 重启" },
  switch: { kind: "doing", english: "switch turn toggle", chinese: "打开 关闭 关掉 开启 切换" },
  time: {
    kind: "thing",
    english: "time clock oclock hour date datetime",
    chinese: "时间 几点钟 几点 时刻 日期 几号 星期几 周几 钟头",
  },
  now: { kind: "hint", english: "today now tonight", chinese: "今天 现在 今日 今晚" },
  weather: {
    kind: "thing",
    english: "weather temperature forecast rain sunny snow umbrella",
    chinese: "天气 气温 温度 下雨 下雪 预报 带伞",
  },
  mail: { kind: "thing", english: "mail email inbox letter mailbox", chinese: "邮件 邮箱 信件 收件箱 电邮 来信" },
  message: { kind: "thing", english: "message sms notify notification chat slack", chinese: "消息 短信 通知 留言" },
  money: { kind: "thing", english: "money amount euro dollar fund", chinese: "金额 钱 款项 资金" },
  invoice: { kind: "thing", english: "invoice bill receipt", chinese: "发票 账单 单据" },
  balance: { kind: "thing", english: "balance", chinese: "余额 结余" },
  file: { kind: "thing", english: "file document folder directory path", chinese: "文件夹 文件 文档 目录" },
  todo: { kind: "thing", english: "todo task reminder remind chore", chinese: "待办 任务 提醒 清单" },
  note: { kind: "thing", english: "note memo remember memory", chinese: "笔记 备忘 记住 记下 记忆" },
  timer: { kind: "thing", english: "timer alarm countdown stopwatch", chinese: "计时器 定时器 闹钟 倒计时" },
  calendar: {
    kind: "thing",
    english: "calendar meeting appointment event schedule agenda",
    chinese: "日程 日历 会议 约会 行程 活动",
  },
  number: {
    kind: "thing",
    english: "calculate calculator compute sum math multiply divide plus minus",
    chinese: "计算 算一下 算算 求和 加法 乘以 除以 等于几 等于多少",
  },
  exchange: {
    kind: "thing",
    english: "convert conversion converter exchange currency",
    chinese: "兑换 换成 换算 汇率 转换 折合 货币",
  },
  translation: { kind: "thing", english: "translate translation translator", chinese: "翻译 译成" },
  flight: { kind: "thing", english: "flight plane ticket airline", chinese: "航班 机票 飞机" },
  hotel: { kind: "thing", english: "hotel room", chinese: "酒店 房间 宾馆" },
  table: { kind: "thing", english: "restaurant dinner lunch", chinese: "餐厅 饭店 晚餐 午餐" },
  price: { kind: "thing", english: "price stock share quote cost", chinese: "股票 股价 价格 行情 多少钱" },
  customer: { kind: "thing", english: "user customer account client member", chinese: "用户 客户 账户 账号 会员" },
  purchase: { kind: "thing", english: "parcel package shipment delivery", chinese: "订单 包裹 快递 物流" },
  command: { kind: "thing", english: "command shell script terminal", chinese: "命令 脚本 终端" },
  news: { kind: "thing", english: "news headline", chinese: "新闻 头条" },
  route: { kind: "thing", english: "route direction map distance", chinese: "路线 地图 导航 距离" },
  picture: { kind: "thing", english: "image picture photo draw", chinese: "图片 照片 图像 画" },
  light: { kind: "thing", english: "light lamp", chinese: "电灯 灯光 灯" },
  web: { kind: "thing", english: "web website page url site internet", chinese: "网页 网站 网址 上网" },
  health: { kind: "thing", english: "health symptom doctor medicine", chinese: "健康 症状 医生 药品" },
} as const satisfies Readonly<Record<string, Concept>>;

export type ConceptName = keyof typeof lexicon;

/** What kind of concept a name is. */
export const kindOf = (name: ConceptName): Concept["kind"] => lexicon[name].kind;

/** What is done, as against what it is done to. */
export const isVerb = (name: ConceptName): boolean => kindOf(name) === "doing" || kindOf(name) === "looking";

/** Those that do harm where nobody asked for them. */
export const isGrave = (name: ConceptName): boolean => name === "delete" || name === "pay" || name === "buy";
